"""Which profile an SNMP agent gets."""

import pytest

from collectors.errors import Unidentified
from collectors.profiles.profile import SnmpProfile, parse
from collectors.protocols.snmp.identity import closest, identify_snmp
from tests.collectors.agents import snmp_device
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio
OBJECT_ID = "1.3.6.1.2.1.1.2.0"
ENTERPRISE = "1.3.6.1.4.1"


def profile(name: str, probe: str, *object_ids: str, breadth: int = 0) -> SnmpProfile:
    found = parse(f"""
name = "{name}"
protocol = "snmp"
vendor = "V"
family = "F"
evidence = "documents"
sources = ["a document"]
[identify]
sys_object_id = {list(object_ids)}
probe = "{probe}"
breadth = {breadth}
[[points]]
point = "inlet"
entry = "1.3.6.1.4.1.9.1"
index = []
values = [{{ quantity = "power", oid = ".1", unit = "W" }}]
""")
    assert isinstance(found, SnmpProfile)
    return found


MAKER = profile("maker", f"{ENTERPRISE}.9.7.1", f"{ENTERPRISE}.9")
STANDARD = profile("standard", "1.3.6.1.2.1.33.1.4.1.0", breadth=1)
SAME_STANDARD = profile("a-maker-with-the-standard", "1.3.6.1.2.1.33.1.4.1.0", f"{ENTERPRISE}.8")
ANYTHING = profile("anything", "1.3.6.1.2.1.99.1.1.1.1", breadth=2)
ALL = [ANYTHING, SAME_STANDARD, STANDARD, MAKER]


async def name_of(rows) -> str:
    async with serving(rows) as agent:
        return (await identify_snmp(snmp_device(agent.url, "auto"), "public", ALL)).name


async def test_the_narrowest_that_answers_wins():
    both = [(OBJECT_ID, 6, f"{ENTERPRISE}.9.1"), (f"{ENTERPRISE}.9.7.1", 2, 5), ("1.3.6.1.2.1.33.1.4.1.0", 2, 3)]
    assert await name_of(both) == "maker"
    assert await name_of(both[1:]) == "maker"  # tells no object ID
    assert await name_of([both[0], both[2]]) == "standard"


async def test_a_standard_object_says_nothing_about_the_maker():
    standard = ("1.3.6.1.2.1.33.1.4.1.0", 2, 3)
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.8.1"), standard]) == "a-maker-with-the-standard"
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.5"), standard]) == "standard"


async def test_a_table_is_enough_of_an_answer_from_the_maker_or_for_a_standard():
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.9.1"), (f"{ENTERPRISE}.9.7.1.16", 2, 5)]) == "maker"
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.5"), ("1.3.6.1.2.1.99.1.1.1.1.12", 2, 8)]) == "anything"
    with pytest.raises(Unidentified):
        await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.5"), (f"{ENTERPRISE}.9.7.1.16", 2, 5)])


def test_the_closest_is_of_the_same_maker():
    relatives = [
        profile("a", "1.3.1.0", f"{ENTERPRISE}.318.1.3.4"),
        profile("b", "1.3.1.0", f"{ENTERPRISE}.318.1.3.2.7"),
    ]
    assert closest(relatives, f"{ENTERPRISE}.318.1.3.2.12") == "b"
    assert closest(relatives, f"{ENTERPRISE}.318.1.3.4.9") == "a"
    assert closest(relatives, f"{ENTERPRISE}.99.1") == "none"
    assert closest(relatives, "") == "none"
