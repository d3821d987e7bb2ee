from zoneinfo import ZoneInfo

import pytest


@pytest.fixture
def utc() -> ZoneInfo:
    return ZoneInfo("UTC")


@pytest.fixture
def berlin() -> ZoneInfo:
    return ZoneInfo("Europe/Berlin")
