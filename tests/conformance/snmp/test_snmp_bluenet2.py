"""Bachmann BlueNet2 against the walk that Checkmk's plugin documents (bluenet2_powerrail: scales, values, meanings)."""

import pytest

from collectors.tools.probe_device import probe
from tests.snmprec_agent import serving

pytestmark = [pytest.mark.anyio, pytest.mark.conformance]
BLUENET = "1.3.6.1.4.1.31770.2.2.8"
WALK = {  # index: (scaling, value)
    "0.0.0.1.255.255.0.1": (-2, 23410),
    "0.0.0.1.255.255.0.4": (-2, 95),
    "0.0.0.1.255.255.0.17": (-3, -717),
    "0.0.0.1.255.255.0.18": (-1, 2234),
    "0.0.0.1.255.255.0.19": (-1, 1602),
    "0.0.0.1.255.255.0.22": (-1, -1571),
    "0.0.0.1.255.255.0.23": (-2, 4997),
    "0.0.0.1.255.255.0.36": (-4, 1842643),
    "0.1.64.4.255.2.1.0": (-1, 260),
    "0.1.64.4.255.2.1.1": (-1, 369),
    "0.4.0.0.255.255.0.7": (-1, 16),  # a residual current: no place for it
}


async def test_phase_two_and_the_sensor():
    rows = [("1.3.6.1.2.1.1.2.0", 6, "1.3.6.1.4.1.31770.2.1")]
    for index, (scaling, value) in WALK.items():
        rows += [(f"{BLUENET}.2.1.9.{index}", 2, scaling), (f"{BLUENET}.4.1.5.{index}", 2, value)]
    async with serving(rows) as agent:
        report = await probe(agent.url)
    assert report.profile == "bachmann-bluenet2"
    assert {f"{r.point}:{r.quantity}": r.value for r in report.readings} == {
        "inlet/l2:voltage": pytest.approx(234.10),
        "inlet/l2:current": pytest.approx(0.95),
        "inlet/l2:power_factor": pytest.approx(-0.717),
        "inlet/l2:apparent_power": pytest.approx(223.4),
        "inlet/l2:power": pytest.approx(160.2),
        "inlet/l2:reactive_power": pytest.approx(-157.1),
        "inlet/l2:frequency": pytest.approx(49.97),
        "inlet/l2:energy": pytest.approx(184.2643 * 3.6e6),
        "probe/64/4/255:temperature": pytest.approx(26.0),
        "probe/64/4/255:humidity": pytest.approx(36.9),
    }
