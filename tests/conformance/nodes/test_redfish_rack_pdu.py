"""The lines, probes and reactive powers of the DMTF's draft of a rack PDU; numbers read off the JSON named beside."""

import pytest

from tests.conformance.captures import capture
from tests.conformance.nodes.test_redfish import read
from tests.redfish_service import mockup

pytestmark = [pytest.mark.conformance, pytest.mark.anyio]

EXPECTED = {
    "inlet:reactive_power": 100.0,  # Metrics PowerSensor
    "inlet:power_factor": 0.93,
    "probe/1:temperature": 12.0,  # Metrics TemperatureSensors[0], of the cabinet
    "probe/1:humidity": 12.0,  # Metrics HumiditySensors[0]
    "main/AC1/line-to-line/1:voltage": 202.8,  # Mains/AC1 PolyPhaseVoltageSensors
    "main/AC1/line-to-line/2:voltage": 203.8,
    "main/AC1/line-to-line/3:voltage": 205.3,
    "main/AC1/n:current": 2.74,  # PolyPhaseCurrentSensors Neutral
    "main/AC1/l1:power": 198.4,  # PolyPhasePowerSensors LineNToNeutral
    "main/AC1/l2:power": 231.5,
    "main/AC1/l2:apparent_power": 364.4,
    "main/AC1/l2:reactive_power": 281.4,
    "main/AC1/l2:power_factor": 0.63,
    "main/AC1/l3:power": 58.1,
    "branch/A:reactive_power": 0.0,  # Branches/A
    "branch/A:power_factor": 1.0,
    "branch/A:frequency": 60.0,
    "outlet/A1:reactive_power": 0.0,  # Outlets/A1
    "outlet/A1:frequency": 60.0,
}


async def test_dmtf_rack_pdu_lines_and_probes():
    _, found, _, _ = await read(mockup(capture("redfish/dmtf_wip_rackpdu")))
    assert {key: found.get(key) for key in EXPECTED} == EXPECTED
    assert not [key for key in found if key.endswith(":temperature") and not key.startswith("probe/")]
