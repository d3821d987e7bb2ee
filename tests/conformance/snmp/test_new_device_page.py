"""docs/new-device.md, followed literally for a Server Technology Sentry4 that pretends to be of an unknown maker."""

import asyncio
import re
import shlex

import pytest
from typer.testing import CliRunner

from app import cli
from tests.conformance.captures import capture
from tests.paths import DOCS
from tests.snmprec_agent import read_snmprec, serving

pytestmark = [pytest.mark.conformance, pytest.mark.anyio, pytest.mark.timeout(300)]

SENTRY, UNKNOWN = "1.3.6.1.4.1.1718", "1.3.6.1.4.1.99999"


def unknown_maker():
    """The capture with its objects below another enterprise."""
    for oid, tag, value in read_snmprec(capture("snmp/snmprec/sentry4.snmprec")):
        moved = value.replace(SENTRY, UNKNOWN) if isinstance(value, str) else value
        yield re.sub(rf"^{re.escape(SENTRY)}\b", UNKNOWN, oid), tag, moved


def commands(url: str) -> list[list[str]]:
    """The commands of the page, for a device at this address."""
    page = (DOCS / "new-device.md").read_text("utf-8")
    lines = [line for block in re.findall(r"^```\n(.*?)^```", page, re.S | re.M) for line in block.splitlines()]
    return [shlex.split(line.replace("snmp://10.0.0.7", url))[1:] for line in lines]


async def run(arguments: list[str]):
    return await asyncio.to_thread(CliRunner().invoke, cli.app, arguments, env={"COLUMNS": "160"})


async def test_the_page_leads_to_a_profile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with serving(unknown_maker()) as agent:
        probe, record, explore, use = commands(agent.url)
        assert "no profile fits" in str((await run(probe)).exception)
        assert (await run(record)).exit_code == 0
        explored = await run([*explore, "--seconds", "0"])
        assert explored.exit_code == 0, explored.output
        draft = tmp_path / "my-device.toml"
        named = (
            draft.read_text("utf-8")
            .replace("table-2/", "inlet/")
            .replace("table-3/{part1}/{part2}/", "phase/{part1}/{part2}/")
        )
        draft.write_text(named, encoding="utf-8")
        used = await run([*use, "--json"])
    assert used.exit_code == 0, used.output
    # MIB of Sentry4: 1701 W, 1790 VA and 60.0 Hz of the first cord; 207.9 V, 2.09 A and 415 W of its first phase
    for reading in (
        '"value": 1701.0',
        '"value": 1790.0',
        '"value": 60.0',
        '"value": 207.9',
        '"value": 2.09',
        '"value": 415.0',
    ):
        assert reading in used.output
    assert "1.3.6.1.4.1.99999.4.1.5.3.1.8.1.1.1|2|415" in (tmp_path / "my-device.snmprec").read_text("utf-8")
