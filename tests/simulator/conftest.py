import pytest

from collectors.simulator.plant.facility_layout import read_facility_layout
from collectors.simulator.plant.plant import Plant


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def plant() -> Plant:
    return Plant(read_facility_layout())
