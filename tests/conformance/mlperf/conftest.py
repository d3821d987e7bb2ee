"""The published runs, imported once for all tests."""

from __future__ import annotations

import pytest

from tests.conformance.mlperf.mlperf import LORA, OFFER, OFFLINE, STREAMS, Imported, import_all


@pytest.fixture(scope="session")
def imported_inference() -> Imported:
    return import_all("inference", twice=True, ask=[STREAMS, OFFLINE])


@pytest.fixture(scope="session")
def imported_training() -> Imported:
    return import_all("training", ask=[LORA, OFFER])
