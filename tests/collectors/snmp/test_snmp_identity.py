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


HEAD = """
name = "n"
protocol = "snmp"
vendor = "V"
family = "F"
evidence = "documents"
sources = ["a document"]
[identify]
sys_object_id = ["1.3.6.1.4.1.9"]
probe = "P"
[[points]]
point = "inlet"
entry = "1.3.6.1.4.1.9.1"
index = []
values = [{ quantity = "power", oid = ".1", unit = "W" }]
"""


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
    assert await name_of(both[1:]) == "maker"  # reports no object ID
    assert await name_of([both[0], both[2]]) == "standard"


async def test_a_standard_object_says_nothing_about_the_maker():
    standard = ("1.3.6.1.2.1.33.1.4.1.0", 2, 3)
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.8.1"), standard]) == "a-maker-with-the-standard"
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.5"), standard]) == "standard"


async def test_a_table_is_enough_of_an_answer_from_the_maker_or_for_a_standard():
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.9.1"), (f"{ENTERPRISE}.9.7.1.16", 2, 5)]) == "maker"
    assert await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.5"), ("1.3.6.1.2.1.99.1.1.1.1.12", 2, 8)]) == "anything"


READ = f"{ENTERPRISE}.9.1.1.0"


@pytest.mark.parametrize("object_id", [f"{ENTERPRISE}.9.1", f"{ENTERPRISE}.5", ""])
async def test_an_object_that_a_profile_reads_is_enough_whatever_the_agent_is_called(object_id):
    assert await name_of([(OBJECT_ID, 6, object_id), (READ, 2, 5)] if object_id else [(READ, 2, 5)]) == "maker"


async def test_objects_of_a_maker_that_no_profile_reads_are_not_enough():
    with pytest.raises(Unidentified, match="no profile fits"):
        await name_of([(OBJECT_ID, 6, f"{ENTERPRISE}.5"), (f"{ENTERPRISE}.9.3.1.0", 2, 5)])


async def test_a_standard_profile_of_a_maker_needs_an_object_of_this_maker():
    standard = ("1.3.6.1.2.1.33.1.4.1.0", 2, 3)
    assert await name_of([standard]) == "standard"
    assert await name_of([standard, (f"{ENTERPRISE}.8.2.1.0", 2, 3)]) == "a-maker-with-the-standard"


async def test_any_one_of_several_probes_is_enough():
    several = parse(HEAD.replace('probe = "P"', f'probe = ["{ENTERPRISE}.9.4.0", "{ENTERPRISE}.9.5.0"]'))
    for oid in (f"{ENTERPRISE}.9.4.0", f"{ENTERPRISE}.9.5.0"):
        async with serving([(oid, 2, 1)]) as agent:
            assert (await identify_snmp(snmp_device(agent.url, "auto"), "public", [several])).name == "n"


async def test_two_profiles_that_read_one_object_otherwise_are_not_guessed_between():
    watts = parse(HEAD.replace('probe = "P"', f'probe = "{ENTERPRISE}.9.4.0"'))
    amperes = parse(
        HEAD.replace('probe = "P"', f'probe = "{ENTERPRISE}.9.5.0"')
        .replace('"n"', '"m"')
        .replace('"power"', '"current"')
        .replace('"W"', '"A"')
        .replace(f'"{ENTERPRISE}.9"', f'"{ENTERPRISE}.9.2"')
    )
    async with serving([(READ, 2, 5)]) as agent:
        with pytest.raises(Unidentified):
            await identify_snmp(snmp_device(agent.url, "auto"), "public", [watts, amperes])
    async with serving([(OBJECT_ID, 6, f"{ENTERPRISE}.9.2.1"), (READ, 2, 5)]) as agent:
        found = await identify_snmp(snmp_device(agent.url, "auto"), "public", [watts, amperes])
    assert found.name == "m"


async def test_a_device_with_an_object_that_a_family_lacks_is_not_of_it():
    text = HEAD.replace('probe = "P"', f'probe = "{ENTERPRISE}.9.4.0"\nabsent = ["1.3.6.1.2.1.33.1.4"]')
    async with serving([(READ, 2, 5), (f"{ENTERPRISE}.9.4.0", 2, 1), ("1.3.6.1.2.1.33.1.4.1.0", 2, 3)]) as agent:
        found = await identify_snmp(snmp_device(agent.url, "auto"), "public", [parse(text), STANDARD])
    assert found.name == "standard"


async def test_the_hint_names_the_command_that_tries_the_closest_profile():
    async with serving([(OBJECT_ID, 6, f"{ENTERPRISE}.9.1")]) as agent:
        with pytest.raises(Unidentified) as caught:
            await identify_snmp(snmp_device(agent.url, "auto"), "public", ALL)
    assert caught.value.hint == f"closest profile: maker (try it: wattline probe {agent.url} --profile maker)"


def test_the_closest_is_of_the_same_maker():
    relatives = [
        profile("a", "1.3.1.0", f"{ENTERPRISE}.318.1.3.4"),
        profile("b", "1.3.1.0", f"{ENTERPRISE}.318.1.3.2.7"),
    ]
    assert closest(relatives, f"{ENTERPRISE}.318.1.3.2.12") == "b"
    assert closest(relatives, f"{ENTERPRISE}.318.1.3.4.9") == "a"
    assert closest(relatives, f"{ENTERPRISE}.99.1") == "none"
    assert closest(relatives, "") == "none"


@pytest.mark.parametrize("version", ["1", "2c"])
async def test_an_agent_without_its_probe_is_found_by_its_tables_in_every_version(version):
    rows = [(OBJECT_ID, 6, f"{ENTERPRISE}.5"), ("1.3.6.1.4.1.7.1.0", 2, 1), (READ, 2, 5)]
    async with serving(rows) as agent:
        found = await identify_snmp(snmp_device(agent.url, "auto", auth={"snmp": version}), "public", ALL)
    assert found.name == "maker"
