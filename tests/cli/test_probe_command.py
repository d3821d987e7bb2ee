"""`wattline probe` as a person types it, against services on real sockets."""

import asyncio
import json
import os
import struct

import pytest
from typer.testing import CliRunner

from app import cli
from app.cli.auth_option import auth_table
from app.errors import WattlineError
from tests.collectors.agents import apc_rows, modbus_server
from tests.collectors.scpi.scpi_meter import Meter
from tests.collectors.scpi.scpi_meter import serving as metering
from tests.collectors.snmp.test_snmp_v3 import Rows
from tests.collectors.snmp.test_snmp_v3 import agent as v3_agent
from tests.redfish_service import Service, collection, root, serving
from tests.snmprec_agent import serving as snmp_agent

pytestmark = pytest.mark.anyio

ONE = "/redfish/v1/Chassis/1"
BMC = {
    "/redfish/v1": root(),
    "/redfish/v1/Chassis": collection(ONE),
    ONE: {"@odata.id": ONE, "Manufacturer": "Contoso", "Model": "X1", "Power": {"@odata.id": f"{ONE}/Power"}},
    f"{ONE}/Power": {"PowerControl": [{"PowerConsumedWatts": 565, "PowerMetrics": {"AverageConsumedWatts": 521}}]},
}


async def said(*arguments):
    result = await asyncio.to_thread(CliRunner().invoke, cli.app, ["probe", *arguments], env={"COLUMNS": "140"})
    assert result.exit_code == 0, result.output
    return result.output


async def test_a_bmc(monkeypatch):
    monkeypatch.setenv("BMC_PASSWORD", "secret")
    service = Service(BMC, users={"monitor": "secret"})
    async with serving(service) as url:
        table = await said(url, "--user", "monitor", "--password", "env:BMC_PASSWORD")
        answer = json.loads(await said(url, "--user", "monitor", "--password", "env:BMC_PASSWORD", "--json"))
    assert table.startswith("Contoso X1 · profile redfish-server")
    (row,) = [line for line in table.splitlines() if line.startswith("│ total")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "total", "power", "565", "W", "the BMC's present reading",
    ]  # fmt: skip
    assert "no answer for: " in table
    assert answer["profile"] == "redfish-server"
    assert answer["readings"][0] == {
        "point": "total", "quantity": "power", "value": 565.0, "unit": "W", "sensor": "the BMC's present reading",
    }  # fmt: skip
    assert service.tokens == {}  # every session was given back


FACILITY = """
[auth.pdus]
snmp = "3"
user = "reader"
auth = "sha256"
auth_password = "env:AUTH"
priv = "aes128"
priv_password = "env:PRIV"
"""


async def test_a_pdu_with_snmpv3(tmp_path, monkeypatch):
    monkeypatch.setenv("AUTH", "a long password")
    monkeypatch.setenv("PRIV", "another password")
    path = tmp_path / "facility.toml"
    path.write_text(FACILITY, encoding="utf-8")
    async with v3_agent("sha256", "aes128", contexts={"": Rows(apc_rows())}) as address:
        answer = json.loads(await said(address.url, "--auth", f"{path}:pdus", "--json"))
    assert (answer["profile"], answer["model"]) == ("apc-rpdu2", "AP8659")
    assert answer["readings"][0] == {"point": "inlet", "quantity": "power", "value": 1140.0, "unit": "W"}


@pytest.mark.parametrize(
    ("reference", "text", "told"),
    [
        ("pdus", FACILITY, "--auth pdus is not FILE:KEY"),
        ("FILE:bmcs", FACILITY, "has no [auth.bmcs]"),
        ("FILE:pdus", '[auth.pdus]\nsnmp = "3"', "SNMPv3 without user"),
        ("/nowhere.toml:pdus", FACILITY, "/nowhere.toml: No such file"),
    ],
)
def test_an_auth_that_is_not_there(tmp_path, reference, text, told):
    path = tmp_path / "facility.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(WattlineError) as caught:
        auth_table(reference.replace("FILE", str(path)))
    assert told in caught.value.detail


async def test_a_bench_meter():
    async with metering(Meter({"P,1": "409.69E+00", "U,1": "NAN", "I,1": "1.8E+00"})) as url:
        table, answer = await said(url), json.loads(await said(url, "--json"))
    assert "Yokogawa WT310E · profile yokogawa-wt310" in table
    assert {row["quantity"]: row["value"] for row in answer["readings"]} == {"power": 409.69, "current": 1.8}
    assert "total:voltage" in answer["missing"]


async def test_a_bmc_over_ipmi(tmp_path, monkeypatch):
    tool = tmp_path / "ipmitool"
    tool.write_text("#!/bin/sh\necho 'Instantaneous power reading: 332 Watts'\necho 'Manufacturer ID : 674'\n")
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    table, answer = await said("ipmi://127.0.0.1"), json.loads(await said("ipmi://127.0.0.1", "--json"))
    assert "profile ipmi-dcmi" in table
    assert [(row["point"], row["value"]) for row in answer["readings"]] == [("total", 332.0)]
    assert answer["missing"] == ["average:power"]


async def test_registers_of_an_unknown_meter(tmp_path):
    """Two of three lines loaded: 230 V · 5 A · 0.9 = 1035 W, 231 V · 6 A · 0.8 = 1108.8 W; together 2143.8 W."""
    numbers = [230.0, 231.0, 232.0, 5.0, 6.0, 0.0, 1035.0, 1108.8, 0.0, 0.9, 0.8, 0.0, 2143.8]
    words = struct.unpack(">26H", struct.pack(">13f", *numbers))
    draft = tmp_path / "draft.toml"
    async with modbus_server({10: words}) as url:
        options = ("--explore", "--registers", "0-60", "--seconds", "0", "--draft", str(draft))
        table = await said(url, *options)
    (row,) = [line for line in table.splitlines() if "current" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")][:6] == [
        "l{channel}", "current", "holding 16", "float32", "5", "5 A",
    ]  # fmt: skip
    assert 'name = "draft"' in draft.read_text()
    assert 'quantity = "power", address = 22, type = "float32", unit = "W"' in draft.read_text()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--explore", "--draft", "mine.toml"), "mine.toml exists"),
        (("--explore", "--draft", "nowhere/mine.toml"), "there is no folder"),
        (("--draft", "new.toml"), "add --explore"),
    ],
)
def test_a_draft_replaces_no_edited_profile(tmp_path, monkeypatch, options, reason):
    """Nothing listens at this address: what cannot be written is refused before anything is read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("edited")
    found = CliRunner().invoke(cli.app, ["probe", "snmp://127.0.0.1:1", *options], env={"COLUMNS": "200"})
    assert found.exit_code == 2
    assert reason in found.output
    assert (tmp_path / "mine.toml").read_text() == "edited"


async def test_a_named_profile_that_fits_in_part_is_read_and_says_so():
    rows = [row for row in apc_rows() if not row[0].endswith("26.4.3.1.1.1")]
    async with snmp_agent([*rows, ("1.3.6.1.2.1.105.1.3.1.1.4.1", 66, 214)], "s3cret") as agent:
        table = await said(agent.url, "--profile", "apc-rpdu2", "--community", "s3cret")
        answer = json.loads(await said(agent.url, "--profile", "apc-rpdu2", "--community", "s3cret", "--json"))
    assert "profile apc-rpdu2 · generic: power-ethernet" in " ".join(table.split())
    assert "fits profile apc-rpdu2 in part" in table
    assert (answer["generic"], len(answer["notes"])) == (["power-ethernet"], 1)
    assert {"point": "inlet", "quantity": "power", "value": 1140.0, "unit": "W"} in answer["readings"]
