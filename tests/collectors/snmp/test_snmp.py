"""The SNMP driver against a real agent over UDP."""

import math

import pytest

from collectors.errors import BadAnswer, ConfigError, Unreachable
from collectors.profiles.registry import find
from collectors.protocols.snmp import driver as snmp
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.protocols.snmp.plan import make_plan
from collectors.protocols.snmp.raw_values import leading
from tests.collectors.agents import APC, INTEGER, TICKS, UPTIME, Steps, apc_rows, by_key, snmp_device
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio
MAIN = {"main"}


def driver(agent, clock=None, **options) -> SnmpDriver:
    more = {"clock": clock} if clock else {}
    return SnmpDriver(snmp_device(agent.url, **options), find("apc-rpdu2"), **more)


async def test_reads_what_the_mib_says():
    async with serving(apc_rows()) as agent:
        apc = driver(agent)
        await apc.open()
        poll = await apc.read(MAIN)
    (frame,) = poll.frames
    values = by_key(frame)
    assert values["inlet:power"] == 1140.0
    assert values["inlet:energy"] == 12_646_080_000.0  # 3512.8 kWh
    assert values["inlet/l1:current"] == pytest.approx(4.9)
    assert (values["outlet/1:power"], values["outlet/2:power"]) == (100.0, 200.0)
    assert math.isnan(values["inlet:apparent_power"])  # -1: not available
    assert apc.model == "AP8659"
    labels = {series.key: series.label for series in frame.layout.series}
    assert labels["outlet/2:power"] == "node 2"
    assert "bank/*" in apc.missing


async def test_after_learning_only_the_cells_are_asked_for_in_packed_gets():
    async with serving(apc_rows(outlets=40)) as agent:
        apc = driver(agent)
        await apc.open()
        agent.requests.clear()
        await apc.read(MAIN)
    kinds = [kind for kind, _ in agent.requests]
    assert set(kinds) == {"GetRequestPDU"}
    assert len(kinds) == 2  # sysUpTime and 44 values at 24 a packet


async def test_groups_have_layouts_times_and_intervals_of_their_own():
    async with serving(apc_rows()) as agent:
        apc = driver(agent, clock=Steps(start=0, step=1000))
        await apc.open()
        poll = await apc.read({"main", "environment"})
    main, environment = poll.frames
    assert (main.layout.interval_ms, environment.layout.interval_ms) == (10_000, 60_000)
    assert (main.t_ms, environment.t_ms) == (1500, 3500)  # the middle of each one's own request
    assert by_key(environment)["probe/1:temperature"] == pytest.approx(23.1)


async def test_the_profile_keeps_a_hasty_facility_polite():
    async with serving(apc_rows()) as agent:
        apc = driver(agent, interval_s=1.0)
        await apc.open()
        assert {layout.interval_ms for layout in apc.layouts()} == {5_000, 60_000}


async def test_a_restart_is_noticed_and_the_tables_are_learned_again():
    async with serving(apc_rows(uptime=500_000)) as agent:
        apc = driver(agent)
        await apc.open()
        await apc.read(MAIN)
        agent.set(UPTIME, TICKS, 300)
        agent.set(f"{APC}.9.4.3.1.2.3", INTEGER, 1)
        agent.set(f"{APC}.9.4.3.1.4.3", INTEGER, 3)
        agent.set(f"{APC}.9.4.3.1.7.3", INTEGER, 33)
        poll = await apc.read(MAIN)
    assert [note.kind for note in poll.notes] == ["device_restarted"]
    assert by_key(poll.frames[0])["outlet/3:power"] == 33.0


async def test_the_uptime_that_runs_over_is_no_restart():
    async with serving(apc_rows(uptime=2**32 - 100)) as agent:
        apc = driver(agent)
        await apc.open()
        await apc.read(MAIN)
        agent.set(UPTIME, TICKS, 50)
        poll = await apc.read(MAIN)
    assert poll.notes == []


async def test_a_value_that_went_away_is_missing_and_the_layout_is_learned_again_later(monkeypatch):
    monkeypatch.setattr(snmp, "_LEARN_SOONEST_S", 0.0)
    async with serving(apc_rows()) as agent:
        apc = driver(agent)
        await apc.open()
        agent.remove(f"{APC}.9.4.3.1.7.2")
        first = await apc.read(MAIN)
        second = await apc.read(MAIN)
    assert math.isnan(by_key(first.frames[0])["outlet/2:power"])
    assert by_key(first.frames[0])["outlet/1:power"] == 100.0
    assert "outlet/2:power" not in by_key(second.frames[0])


async def test_version_1_agents_refuse_whole_packets_and_still_give_the_rest():
    async with serving(apc_rows()) as agent:
        apc = driver(agent, auth={"snmp": "1"})
        await apc.open()
        agent.remove(f"{APC}.9.4.3.1.7.2")
        values = by_key((await apc.read(MAIN)).frames[0])
    assert values["inlet:power"] == 1140.0
    assert math.isnan(values["outlet/2:power"])


async def test_objects_that_do_not_exist_cost_no_further_packet():
    absent = [f"{APC}.99.{n}.0" for n in range(16)]
    async with serving(apc_rows()) as agent:
        client = client_for(snmp_device(agent.url).address, {}, 0.4)
        await client.open()
        assert await client.get([UPTIME], 1) == {UPTIME: 1000}
        agent.requests.clear()
        assert await client.get(absent, 16) == {}
    assert len(agent.requests) == 1


async def test_silence_is_unreachable():
    async with serving(apc_rows()) as agent:
        apc = driver(agent)
        await apc.open()
        agent.silent = True
        with pytest.raises(Unreachable) as caught:
            await apc.read(MAIN)
    assert caught.value.code == "device_timeout"
    assert caught.value.retryable


async def test_a_wrong_community_is_silence_too():
    async with serving(apc_rows(), community="other") as agent:
        with pytest.raises(Unreachable) as caught:
            await driver(agent).open()
    assert "community" in caught.value.hint


async def test_an_agent_that_answers_everything_with_an_error():
    async with serving(apc_rows()) as agent:
        apc = driver(agent)
        await apc.open()
        agent.error_status = 5  # genErr
        with pytest.raises(BadAnswer):
            await apc.read(MAIN)


async def test_an_agent_without_anything_to_read():
    async with serving([("1.3.6.1.2.1.1.1.0", 4, "a printer")]) as agent:
        with pytest.raises(BadAnswer) as caught:
            await driver(agent).open()
    assert caught.value.code == "nothing_to_read"


async def test_the_community_comes_from_a_reference(monkeypatch):
    monkeypatch.setenv("PDU_COMMUNITY", "s3cret")
    async with serving(apc_rows(), community="s3cret") as agent:
        apc = driver(agent, auth={"community": "env:PDU_COMMUNITY"})
        await apc.open()
        assert apc.layouts()


@pytest.mark.parametrize(
    ("auth", "says"),
    [
        ({"community": "public"}, "secret in plain text"),
        ({"snmp": "4"}, "SNMP version '4'"),
        ({"snmp": "3"}, "needs a user"),
        ({"snmp": "3", "user": "u", "auth": "md5", "auth_password": "env:X"}, "is not safe"),
        ({"comunity": "env:X"}, "unknown keys"),
    ],
)
async def test_settings_that_cannot_be_used(auth, says):
    with pytest.raises(ConfigError, match=says):
        SnmpDriver(snmp_device("snmp://127.0.0.1", auth=auth), find("apc-rpdu2"))


async def test_a_name_that_does_not_exist():
    client = client_for(snmp_device("snmp://no-such-host.invalid").address, {}, 0.4)
    with pytest.raises(Unreachable) as caught:
        await client.open()
    assert caught.value.code == "no_such_host"


async def test_two_rows_of_one_name_the_first_counts():
    async with serving([*apc_rows(), (f"{APC}.9.4.3.1.4.2", INTEGER, 1)]) as agent:
        apc = driver(agent)
        await apc.open()
        values = by_key((await apc.read(MAIN)).frames[0])
    assert values["outlet/1:power"] == 100.0
    assert any("second row 2" in text for text in apc.missing)


RARITAN = "1.3.6.1.4.1.13742.6"


def test_a_scale_that_the_device_does_not_tell_is_never_assumed():
    columns = {f"{RARITAN}.5.2.3.1.4": {"1.1.5": 1665, "1.1.4": 229}, f"{RARITAN}.3.3.4.1.7": {"1.1.4": 0}}
    plan = make_plan(find("raritan-px2"), columns)
    assert [cell.series.key for cell in plan.groups["main"]] == ["inlet:voltage"]


@pytest.mark.parametrize(("sensors", "read"), [(("4", "25"), "1.1.2.25"), (("4",), "1.1.2.4")])
def test_a_pole_has_its_voltage_to_neutral_where_there_is_one(sensors, read):
    rows = {f"1.1.2.{sensor}": 230 for sensor in sensors}
    digits = dict.fromkeys(rows, 0)
    plan = make_plan(find("raritan-px2"), {f"{RARITAN}.5.2.4.1.4": rows, f"{RARITAN}.3.3.6.1.7": digits})
    cells = {cell.series.key: cell.oid for cell in plan.groups["main"]}
    assert cells == {"inlet/l2:voltage": f"{RARITAN}.5.2.4.1.4.{read}"}


async def test_not_available_is_missing_and_digits_and_ratings_are_read():
    rows = [
        ("1.3.6.1.2.1.1.2.0", 6, RARITAN),
        (f"{RARITAN}.3.3.3.1.7.1.1", 4, "32A"),
        (f"{RARITAN}.3.3.4.1.7.1.1.1", 66, 3),
        (f"{RARITAN}.3.3.4.1.7.1.1.5", 66, 0),
        (f"{RARITAN}.5.2.3.1.2.1.1.1", 2, 1),
        (f"{RARITAN}.5.2.3.1.2.1.1.5", 2, 2),
        (f"{RARITAN}.5.2.3.1.4.1.1.1", 66, 7467),
        (f"{RARITAN}.5.2.3.1.4.1.1.5", 66, 0),
    ]
    async with serving(rows) as agent:
        raritan = SnmpDriver(snmp_device(agent.url, "raritan-px2"), find("raritan-px2"))
        await raritan.open()
        (frame,) = (await raritan.read(MAIN)).frames
    values = by_key(frame)
    assert values["inlet:current"] == pytest.approx(7.467)
    assert math.isnan(values["inlet:power"])
    (current, _) = frame.layout.series
    assert (current.rated, current.resolution) == (32.0, 0.001)


@pytest.mark.parametrize(
    ("text", "rated"), [(b"-1.9 A", -1.9), (b"32A", 32.0), ("16", 16.0), (b"12.5 A", 12.5), (b"", None), (None, None)]
)
def test_the_number_a_text_begins_with(text, rated):
    assert leading(text) == rated
