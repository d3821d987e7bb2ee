"""Wholes and their parts: an oracle that knows no MIB. What a device reads of a whole is what it reads of the parts."""

import re

import pytest

from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_coverage import coverages

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]

OUTLET = r"outlet/\d+"
RELATIONS = [
    ("raritan-pdu_px3", "power", "inlet", OUTLET, 24, 0.01),
    ("raritan-pdu_px3", "energy", "inlet", OUTLET, 24, 1e-6),
    ("raritan-pdu_px3", "current", "inlet", OUTLET, 24, 0.01),  # of one phase, rms beside rms
    ("apc-cpdu", "power", "inlet", OUTLET, 40, 0.02),
    ("dell-rpdu", "power", r"inlet(/l1)?", OUTLET, 24, 0.02),
    ("apc_ap8853", "current", "inlet/l1", r"bank/\d+", 2, 0.05),
    ("apc_isx-pdu", "power", "inlet", r"inlet/l\d", 3, 0.001),
    ("sentry4", "power", "inlet", r"inlet/l\d-l\d", 3, 0.01),
    ("sentry4", "power", "unit/2/inlet", r"unit/2/inlet/l\d-l\d", 3, 0.01),
    ("sentry3_3phase", "power", "system", r"inlet/\d|inlet", 3, 0.01),
    ("vertiv-pdu_mg02e4w1", "power", "inlet", r"inlet/l\d", 3, 0.01),
    ("vertiv-pdu_mg02e4w1", "energy", "inlet", r"inlet/l\d", 3, 0.001),
    ("panduit", "power", "inlet", r"bank/\d+", 6, 0.01),
    ("hpe-mapdu_pdu2", "power", "inlet", OUTLET, 8, 0.07),
    ("liebert_mph2rg", "power", "inlet", r"branch/2/outlet/\d+", 16, 0.1),
]
"""Capture, quantity, whole, parts, how many parts, largest distance (resolution, moments between the readings)."""


@pytest.mark.parametrize(("name", "quantity", "whole", "parts", "count", "within"), RELATIONS)
def test_the_parts_add_up_to_the_whole(name, quantity, whole, parts, count, within):
    capture(f"snmp/snmprec/{name}.snmprec")
    found = {r.key.rpartition(":")[0]: r.value for r in coverages()[name].readings if r.quantity == quantity}
    (total,) = [value for point, value in found.items() if re.fullmatch(whole, point)]
    addends = [value for point, value in found.items() if re.fullmatch(parts, point)]
    assert len(addends) == count
    assert sum(addends) == pytest.approx(total, rel=within)


POSSIBLE = {
    "voltage": (-70.0, 1000.0),  # −48 V plants
    "current": (-5000.0, 5000.0),  # batteries discharge
    "power": (-1e6, 1e6),
    "apparent_power": (0.0, 1e6),
    "reactive_power": (-1e6, 1e6),
    "power_factor": (-1.0, 1.0),
    "frequency": (0.0, 100.0),
    "energy": (-1e7 * 3.6e6, 1e7 * 3.6e6),  # export counts down
    "temperature": (-60.0, 120.0),  # down to a processor's margin to its limit
    "humidity": (0.0, 100.0),
    "utilization": (0.0, 200.0),
}
"""Smallest and largest value [base unit] of a quantity that a rack, a UPS or a plant can have."""


def test_nothing_is_read_that_cannot_be():
    capture("snmp/expected_sensors.csv")
    for name, coverage in coverages().items():
        for reading in coverage.readings:
            low, high = POSSIBLE.get(reading.quantity, (float("-inf"), float("inf")))
            assert low <= reading.value <= high, f"{name}: {reading.key} from {reading.oid}"
