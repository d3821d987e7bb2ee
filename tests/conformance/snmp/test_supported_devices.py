"""The page of supported devices says what the profiles and the recordings say."""

import pytest

from tests.conformance.captures import capture
from tests.conformance.snmp.supported_devices import PAGE, page

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]


def test_the_page_is_the_one_that_would_be_written_now():
    capture("snmp/expected_sensors.csv")
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m tests.conformance.snmp.supported_devices"
