"""What real devices obey whatever their MIBs say: parts make the whole, and no reading is beyond what can be.

Wholes and parts are the raw numbers of the recordings, added by hand with the units of the vendors' MIBs.
"""

import pytest

from collectors.contract.frame import Quantity
from tests.conformance.captures import capture
from tests.conformance.snmp.snmp_coverage import coverages

pytestmark = [pytest.mark.conformance, pytest.mark.timeout(300)]

RITTAL = "rittal-cmc-iii-pu_pdu-controller"
SUMS = [  # capture, whole, its reading, parts (numbers at the star), their sum, how far apart they may be
    ("dell-rpdu", "inlet/l1:power", 3810.0, "outlet/*:power", 3754.0, 0.02),
    ("janitza-umg96_umg96", "inlet:power", 10041.0, "inlet/l*:power", 10041.0, 1e-9),
    ("janitza-umg96_umg96", "inlet:energy", 13481.2 * 3.6e6, "inlet/l*:energy", 13481.1 * 3.6e6, 1e-4),
    (RITTAL, "unit/2/inlet:power", 2742.0, "unit/2/inlet/l*:power", 2747.0, 0.01),
    (RITTAL, "unit/2/inlet:energy", 2641.8 * 3.6e6, "unit/2/inlet/l*:energy", 2641.8 * 3.6e6, 1e-4),
    ("wti-power", "inlet:power", 256.0, "outlet/*:power", 256.0, 0.05),
    ("drac_m1000e", "chassis/1:current", 7.744, "chassis/1/psu/*:current", 7.743, 0.001),
    ("ts-bspdu", "inlet/1:power", 644.0, "inlet/1/l*:power", 644.0, 1e-9),
    ("siteboss571_siteboss571", "module/1:current", 12.159, "module/1/port/*:current", 12.080, 0.01),
]
LIMITS = {  # [base unit]; negative voltages and currents are those of −48 V plants and batteries
    Quantity.VOLTAGE: (-60, 500),
    Quantity.CURRENT: (-100, 2000),
    Quantity.POWER: (-5000, 50_000),
    Quantity.POWER_FACTOR: (-1, 1),
    Quantity.FREQUENCY: (0, 70),
    Quantity.TEMPERATURE: (-60, 130),
    Quantity.HUMIDITY: (0, 100),
}


@pytest.mark.parametrize(("name", "whole", "reads", "parts", "total", "apart"), SUMS)
def test_parts_make_the_whole(name, whole, reads, parts, total, apart):
    capture("snmp/snmprec")
    found = {reading.key: reading.value for reading in coverages()[name].readings}
    head, tail = parts.split("*")
    inner = {key: key.removeprefix(head).removesuffix(tail) for key in found if key.startswith(head)}
    added = sum(found[key] for key, middle in inner.items() if key.endswith(tail) and middle.isdigit())
    assert found[whole] == pytest.approx(reads)
    assert added == pytest.approx(total, rel=1e-6)
    assert added == pytest.approx(reads, rel=apart)


def test_no_reading_is_beyond_what_can_be():
    capture("snmp/snmprec")
    beyond = [
        f"{name}: {reading.key} = {reading.value:g}"
        for name, coverage in coverages().items()
        for reading in coverage.readings
        for low, high in [LIMITS.get(Quantity(reading.quantity), (-1e18, 1e18))]
        if not low <= reading.value <= high
    ]
    assert beyond == []
