import pytest

from collectors.simulator.plant.facility_layout import read_hall
from collectors.simulator.plant.plant import Plant


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def plant() -> Plant:
    return Plant(read_hall())
