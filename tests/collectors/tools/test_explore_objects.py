"""An agent that no profile describes, explored over UDP: what is recognized, why, and a draft that reads it."""

import asyncio
import json

import pytest
from typer.testing import CliRunner

from app import cli
from collectors.profiles.profile import SnmpProfile, parse
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.tools.objects import explore_objects
from collectors.tools.objects.tables import tables
from tests.collectors.agents import apc_rows, by_key, snmp_device
from tests.snmprec_agent import serving

pytestmark = pytest.mark.anyio
INTEGER, TEXT, OBJECT_ID, COUNTER, GAUGE = 2, 4, 6, 65, 66
UNKNOWN = "1.3.6.1.4.1.99999.2"
OUTLETS, TOTAL, NAMED = f"{UNKNOWN}.1.1", f"{UNKNOWN}.2", f"{UNKNOWN}.3.1"

# outlet: tenths of a volt, hundredths of an ampere, watts, volt-amperes (V · A), watt-hours
LOADS = {1: (2301, 152, 333, 350), 2: (2302, 87, 190, 200), 3: (2300, 410, 920, 943), 4: (2301, 0, 0, 0)}


def unknown_pdu() -> list[tuple[str, int, object]]:
    """Four outlets with a load of 333 + 190 + 920 = 1443 W, the total, and a table with units beside its values."""
    rows: list[tuple[str, int, object]] = [
        ("1.3.6.1.2.1.1.1.0", TEXT, "Acme PDU 9000"),
        ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.99999.7"),
        (f"{TOTAL}.1.0", TEXT, "PDU of Acme"),
        (f"{TOTAL}.2.0", INTEGER, 1443),
        (f"{TOTAL}.3.0", INTEGER, 499),
    ]
    for n, (volts, amps, watts, apparent) in LOADS.items():
        row = [(1, INTEGER, n), (2, TEXT, f"Outlet {n}"), (3, INTEGER, volts), (4, INTEGER, amps), (5, INTEGER, watts)]
        row += [(6, INTEGER, apparent), (7, INTEGER, 1), (8, COUNTER, 70_000 + n)]
        rows += [(f"{OUTLETS}.{column}.{n}", tag, value) for column, tag, value in row]
    for n, (text, number, unit) in enumerate((("Inlet", 231, "V AC"), ("Rack", 24, "deg C"), ("Load", 6, "Amps")), 1):
        unit = {"V AC": "VAC"}.get(unit, unit)
        rows += [(f"{NAMED}.2.{n}", TEXT, text), (f"{NAMED}.3.{n}", INTEGER, number), (f"{NAMED}.4.{n}", TEXT, unit)]
    return rows


async def explored(rows, **options):
    async with serving(rows) as agent:
        return await explore_objects(agent.url, pause_s=0.0, packets_s=2000, **options)


async def test_what_is_recognized_and_why():
    found = await explored(unknown_pdu())
    known = {(f.column.oid, f.quantity.value, f.scale): f.why for f in found.findings if f.sure}
    assert known == {
        (f"{OUTLETS}.3", "voltage", 0.1): "V · A ≈ W in 3 rows",
        (f"{OUTLETS}.4", "current", 0.01): "V · A ≈ W in 3 rows, if the power is in watts",
        (f"{OUTLETS}.5", "power", 1.0): "V · A ≈ W in 3 rows",
        (f"{OUTLETS}.6", "apparent_power", 1.0): "it is V · A in every row",
        (f"{TOTAL}.2", "power", 1.0): f"it is the sum of {OUTLETS}.5 (1443 W)",
        (f"{TOTAL}.3", "frequency", 0.1): "all numbers are in the band of a mains frequency",
        (f"{NAMED}.3", "voltage", 1.0): "the unit 'VAC' is beside it",
        (f"{NAMED}.3", "current", 1.0): "the unit 'Amps' is beside it",
        (f"{NAMED}.3", "temperature", 1.0): "the unit 'deg C' is beside it",
    }
    (counter,) = (f for f in found.findings if f.column.oid == f"{OUTLETS}.8")
    assert (counter.quantity.value, counter.sure) == ("energy", False)
    assert (found.profile, found.read) == ("", 0)


async def test_the_draft_is_a_profile_that_reads_the_device():
    found = await explored(unknown_pdu())
    draft = parse(found.draft)
    assert isinstance(draft, SnmpProfile)
    assert draft.identify.sys_object_id == ("1.3.6.1.4.1.99999.7",)
    async with serving(unknown_pdu()) as agent:
        driver = SnmpDriver(snmp_device(agent.url, "auto", timeout_s=2.0), draft)
        await driver.open()
        poll = await driver.read({layout.group for layout in driver.layouts()})
        await driver.close()
    values = by_key(poll.frames[0])
    outlets = {key: value for key, value in values.items() if key.startswith("outlet/3:")}
    assert outlets == {
        "outlet/3:voltage": pytest.approx(230.0),
        "outlet/3:current": pytest.approx(4.1),
        "outlet/3:power": 920.0,
        "outlet/3:apparent_power": 943.0,
    }
    assert sorted(value for key, value in values.items() if key.startswith("inlet")) == [6.0, 24.0, 231.0]
    assert (values["group-2:power"], values["group-2:frequency"]) == (1443.0, pytest.approx(49.9))
    assert "# 2301: V · A ≈ W in 3 rows" in found.draft
    assert f"it is the sum of {OUTLETS}.5" in found.draft


async def test_the_scale_of_a_counter_follows_from_its_rise():
    """920 W for half a second are 460 Ws = 0.128 Wh; a counter of milliwatt-hours rises by 128."""
    rows = unknown_pdu()
    async with serving(rows) as agent:
        asked = explore_objects(agent.url, pause_s=0.5, packets_s=2000)
        task = asyncio.create_task(asked)
        while not any(
            (1, 3, 6, 1, 4, 1, 99999, 2, 2, 2, 0) in oids for kind, oids in agent.requests if kind == "GetRequestPDU"
        ):
            await asyncio.sleep(0.01)
        for n, (_, _, watts, _) in LOADS.items():
            agent.set(f"{OUTLETS}.8.{n}", COUNTER, 70_000 + n + round(watts * 0.5 / 3.6))
        found = await task
    (counter,) = (f for f in found.findings if f.column.oid == f"{OUTLETS}.8")
    assert (counter.scale, counter.sure, counter.why) == (0.001, True, "it rises by power × time")


async def test_what_a_profile_reads_is_not_listed():
    extra = [("1.3.6.1.4.1.318.1.1.99.1.0", INTEGER, 7)]
    found = await explored([*apc_rows(), *extra])
    listed = {f"{c.oid}.{i}" for table in found.unread for c in table.columns for i in c.cells}
    assert found.profile == "apc-rpdu2"
    assert found.read >= 5
    assert "1.3.6.1.4.1.318.1.1.99.1.0" in listed
    assert "1.3.6.1.4.1.318.1.1.26.4.3.1.5.1" not in listed


def test_tables_are_found_without_a_mib():
    cells = {f"1.3.6.1.4.1.9.5.1.{c}.{u}.{n}": c for c in (2, 3, 7) for u in (1, 2) for n in (1, 2, 3)}
    cells |= {"1.3.6.1.4.1.9.4.1.0": 5, "1.3.6.1.4.1.9.4.2.0": 6}
    scalars, table = tables(cells, {})
    assert (scalars.entry, scalars.is_scalars, len(scalars.columns)) == ("1.3.6.1.4.1.9.4", True, 2)
    assert (table.entry, [c.oid.rpartition(".")[2] for c in table.columns]) == ("1.3.6.1.4.1.9.5.1", ["2", "3", "7"])
    assert list(table.columns[0].cells) == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]


async def test_the_command_prints_reasons_and_writes_the_draft(tmp_path):
    draft = tmp_path / "acme.toml"
    async with serving(unknown_pdu(), "s3cret") as agent:
        options = ["probe", agent.url, "--explore", "--community", "s3cret", "--seconds", "0"]
        runner = CliRunner()
        shown = await asyncio.to_thread(
            runner.invoke, cli.app, [*options, "--draft", str(draft)], env={"COLUMNS": "160"}
        )
        answer = await asyncio.to_thread(runner.invoke, cli.app, [*options, "--json"])
    assert shown.exit_code == 0, shown.output
    assert f"{OUTLETS}: table of 4 rows, columns .1, .2, .3, .4, .5, .6, .7, .8" in shown.output
    assert "V · A ≈ W in 3 rows" in shown.output
    assert parse(draft.read_text("utf-8")).name == "acme"
    assert {"oid": f"{OUTLETS}.7", "rows": 4} in json.loads(answer.output)["unread"]
