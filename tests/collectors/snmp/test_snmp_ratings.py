"""What a PDU says its lines, breakers and outlets may carry, read over the wire into the layout.

Many of the raw numbers are those of real units as published beside the drivers that read them: a Sentry4 walk with
breakers of 20 A, an HPE G2 with 3200 and 2000 hundredths, an AP7xxx rated 12 A. Units and columns: the makers' MIBs.
"""

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.polling.drivers import driver_for
from tests.conformance.captures import capture
from tests.snmprec_agent import read_snmprec, serving

pytestmark = pytest.mark.anyio

RPDU, RPDU2 = "1.3.6.1.4.1.318.1.1.12", "1.3.6.1.4.1.318.1.1.26"
SENTRY3, PX_1, CPS = "1.3.6.1.4.1.1718.3.2", "1.3.6.1.4.1.13742.4.1", "1.3.6.1.4.1.3808.1.1"
SENTRY4, HPE, ENLOGIC = "1.3.6.1.4.1.1718.4.1", "1.3.6.1.4.1.232.165.11", "1.3.6.1.4.1.38446.1"

UNITS = {
    "apc-rpdu": [
        (f"{RPDU}.1.7.0", 2, "12"),  # rPDUIdentDeviceRating [A]
        (f"{RPDU}.2.3.1.1.2.1", 66, "34"),
        (f"{RPDU}.2.3.1.1.4.1", 2, "1"),
        (f"{RPDU}.2.3.1.1.5.1", 2, "0"),
    ],
    "apc-rpdu2": [  # two units in a chain
        (f"{RPDU2}.4.2.1.9.1", 2, "16"),  # rPDU2DevicePropertiesMaxCurrentRating [A]
        (f"{RPDU2}.4.2.1.9.2", 2, "32"),
        (f"{RPDU2}.6.3.1.2.1", 2, "1"),
        (f"{RPDU2}.6.3.1.2.2", 2, "2"),
        (f"{RPDU2}.6.3.1.2.3", 2, "2"),
        (f"{RPDU2}.6.3.1.3.1", 2, "1"),
        (f"{RPDU2}.6.3.1.3.2", 2, "1"),
        (f"{RPDU2}.6.3.1.3.3", 2, "2"),
        (f"{RPDU2}.6.3.1.5.1", 2, "22"),
        (f"{RPDU2}.6.3.1.5.2", 2, "48"),
        (f"{RPDU2}.6.3.1.5.3", 2, "51"),
    ],
    "servertech-sentry4": [
        (f"{SENTRY4}.7.2.1.6.1.1.1", 2, "20"),  # st4BranchCurrentCapacity [A]
        (f"{SENTRY4}.7.3.1.3.1.1.1", 2, "405"),
        (f"{SENTRY4}.8.2.1.6.1.1.1", 4, "IEC 60320 C13"),  # st4OutletSocketType, no rating
        (f"{SENTRY4}.8.2.1.7.1.1.1", 2, "10"),  # st4OutletCurrentCapacity [A]
        (f"{SENTRY4}.8.3.1.3.1.1.1", 2, "112"),
    ],
    "hpe-mapdu-g2": [
        (f"{HPE}.2.2.1.10.1.1", 2, "3200"),  # pdu3InputPhaseCurrentRating [0.01 A]
        (f"{HPE}.2.2.1.11.1.1", 2, "390"),
        (f"{HPE}.5.1.1.2.1.7", 4, "node 7"),
        (f"{HPE}.5.1.1.4.1.7", 2, "2000"),  # pdu3OutletCurrentRating [0.01 A]
        (f"{HPE}.5.1.1.5.1.7", 2, "390"),
    ],
    "enlogic-pdu": [
        (f"{ENLOGIC}.2.3.1.11.1", 4, "32"),  # pduUnitPropertiesRatedMaxCurrent, a text [A]
        (f"{ENLOGIC}.3.4.1.5.1.1", 2, "277"),
        (f"{ENLOGIC}.3.4.1.5.1.2", 2, "281"),
    ],
    "servertech-sentry3": [
        (f"{SENTRY3}.7.1.3.1.1.1", 4, "Branch 1"),
        (f"{SENTRY3}.7.1.7.1.1.1", 2, "405"),
        (f"{SENTRY3}.7.1.9.1.1.1", 2, "20"),  # branchCapacity [A]
        (f"{SENTRY3}.7.1.7.1.1.2", 2, "95"),
        (f"{SENTRY3}.7.1.9.1.1.2", 2, "-1"),  # not available
    ],
    "raritan-px1": [
        (f"{PX_1}.1.25.0", 66, "16000"),  # inputCurrentRating [mA]
        (f"{PX_1}.20.2.1.3.1", 2, "1"),  # inletPoleCount
        (f"{PX_1}.20.2.1.7.1", 66, "4820"),
    ],
    "cyberpower-epdu": [
        (f"{CPS}.3.2.1.1.0", 2, "16"),  # ePDULoadDevMaxPhaseLoad [A]
        (f"{CPS}.3.2.3.1.1.2.1", 66, "11"),
    ],
    "cyberpower-epdu2": [  # one with banks: its phases tell 0
        (f"{CPS}.3.2.1.1.0", 2, "0"),
        (f"{CPS}.3.2.1.3.0", 2, "20"),  # ePDULoadDevMaxBankLoad [A]
        (f"{CPS}.6.4.4.1.5.1", 2, "31"),
        (f"{CPS}.6.5.4.1.5.1", 2, "19"),
        (f"{CPS}.6.5.4.1.5.2", 2, "12"),
    ],
}


async def rated(profile: str, rows: list[tuple[str, int, str]]) -> dict[str, float | None]:
    async with serving(rows) as agent:
        driver = await driver_for(PolledDevice("pdu-a", profile, Address.parse(agent.url), timeout_s=2.0))
        await driver.open()
        found = driver.layouts()
        await driver.close()
    return {series.key: series.rated for layout in found for series in layout.series}


@pytest.mark.parametrize(
    ("profile", "amperes"),
    [
        ("apc-rpdu", {"inlet/l1:current": 12.0}),
        (
            "apc-rpdu2",
            {"inlet/l1:current": 16.0, "unit/2/inlet/l1:current": 32.0, "unit/2/inlet/l2:current": 32.0},
        ),
        ("servertech-sentry4", {"bank/1:current": 20.0, "outlet/1:current": 10.0}),
        ("hpe-mapdu-g2", {"inlet/l1:current": 32.0, "outlet/7:current": 20.0}),
        ("enlogic-pdu", {"inlet/l1:current": 32.0, "inlet/l2:current": 32.0}),
        ("servertech-sentry3", {"bank/1:current": 20.0, "bank/2:current": None}),
        ("raritan-px1", {"inlet:current": 16.0}),
        ("cyberpower-epdu", {"load/1:current": 16.0}),
        ("cyberpower-epdu2", {"inlet/l1:current": None, "bank/1:current": 20.0, "bank/2:current": 20.0}),
    ],
)
async def test_a_rating_reaches_the_layout(profile, amperes):
    assert await rated(profile, UNITS[profile]) == amperes


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("name", "profile", "amperes"),
    [
        ("sentry3", "servertech-sentry3", {"inlet/1:current": 30.0, "unit/2/inlet/1:current": 30.0}),
        ("panduit_g5-p32g13m", "panduit-g5", {"outlet/1:current": 16.0}),
    ],
)
async def test_the_ratings_that_recordings_of_real_units_hold(name, profile, amperes):
    found = await rated(profile, read_snmprec(capture(f"snmp/snmprec/{name}.snmprec")))
    assert {key: found[key] for key in amperes} == amperes


async def test_a_unit_that_tells_no_rating_has_none():
    rows = [row for row in UNITS["apc-rpdu"] if not row[0].startswith(f"{RPDU}.1.")]
    assert await rated("apc-rpdu", rows) == {"inlet/l1:current": None}


async def test_a_rating_of_minus_one_is_none():
    rows = [(oid, tag, "-1" if oid == f"{RPDU2}.4.2.1.9.1" else value) for oid, tag, value in UNITS["apc-rpdu2"]]
    assert (await rated("apc-rpdu2", rows))["inlet/l1:current"] is None
