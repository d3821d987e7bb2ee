"""IPMI by its tools: real programs on the PATH, which say what they were given."""

import json
import os
import stat
from pathlib import Path

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import AccessDenied, BadAnswer, ConfigError, Unreachable
from collectors.polling.drivers import driver_for, identify
from collectors.profiles.registry import find
from collectors.protocols.ipmi.driver import IpmiDriver
from collectors.protocols.ipmi.tools import parse_freeipmi, parse_ipmitool
from tests.collectors.agents import Steps, by_key

pytestmark = pytest.mark.anyio

# ipmitool 1.8.19 and ipmi-dcmi 1.6.15 asking one BMC, as they printed it
IPMITOOL = """
    Instantaneous power reading:                   613 Watts
    Minimum during sampling period:                300 Watts
    Maximum during sampling period:                900 Watts
    Average power reading over sample period:      588 Watts
    IPMI timestamp:                           11/14/23 22:13:20 UTC    Sampling period:                          00000300 Seconds.
    Power reading state is:                   activated

"""  # noqa: E501
FREEIPMI = """Current Power                        : 613 Watts
Minimum Power over sampling duration : 300 watts
Maximum Power over sampling duration : 900 watts
Average Power over sampling duration : 588 watts
Time Stamp                           : 11/14/2023 - 22:13:20
Statistics reporting time period     : 300000 milliseconds
Power Measurement                    : Active
"""
TOOL = """#!/bin/sh
# Says in a file what it was given; then answers.
printf '%s\\n' "$@" > "{folder}/args"
env > "{folder}/env"
for arg in "$@"; do case "$arg" in --config-file=*) cat "${{arg#--config-file=}}" > "{folder}/config";; esac; done
case "$*" in
  *"mc info"*) echo "Manufacturer ID           : {maker}";;
  *raw*) printf '%s\\n' "{raw}"; [ -n "{raw}" ];;
  *) {answer};;
esac
"""


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Put a program on a PATH that has it and a shell, nothing else."""
    shells = tmp_path / "bin"
    shells.mkdir()
    for name in ("sh", "env", "cat", "sleep", "printf"):
        for folder in ("/bin", "/usr/bin"):
            if (Path(folder) / name).exists() and not (shells / name).exists():
                (shells / name).symlink_to(Path(folder) / name)
    monkeypatch.setenv("PATH", str(shells))
    monkeypatch.setenv("BMC_PASSWORD", "top secret")

    def put(name, answer, maker=0, raw=""):
        (tmp_path / "answer").write_text(answer)
        say = f'cat "{tmp_path}/answer"' if answer.count("\n") > 1 else answer
        path = shells / name
        path.write_text(TOOL.format(folder=tmp_path, answer=say, maker=maker, raw=raw))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return tmp_path

    return put


def device(**options):
    auth = {"user": "monitor", "password": "env:BMC_PASSWORD"}
    return PolledDevice("node-1-bmc", "auto", Address.parse("ipmi://127.0.0.1:6230"), auth=auth, **options)


async def polled(driver):
    await driver.open()
    (frame,) = (await driver.read({"main"})).frames
    await driver.close()
    return frame, by_key(frame)


async def test_ipmitool_gets_the_password_by_its_environment(tool):
    folder = tool("ipmitool", IPMITOOL)
    driver = IpmiDriver(device(), find("ipmi-dcmi"), clock=Steps(start=0, step=10))
    frame, found = await polled(driver)
    assert found == {"total:power": 613.0, "average:power": 588.0}
    assert [series.sensor for series in frame.layout.series] == ["the BMC's present reading", "average over 300 s"]
    assert frame.t_ms == 15
    args = (folder / "args").read_text().split("\n")
    assert args[:-1] == [
        *("-I", "lanplus", "-H", "127.0.0.1", "-p", "6230", "-E", "-U", "monitor"),
        *("dcmi", "power", "reading"),
    ]
    assert "IPMI_PASSWORD=top secret" in (folder / "env").read_text()


async def test_freeipmi_gets_the_password_by_a_pipe(tool):
    folder = tool("ipmi-dcmi", FREEIPMI)
    _, found = await polled(IpmiDriver(device(), find("ipmi-dcmi")))
    assert found == {"total:power": 613.0, "average:power": 588.0}
    assert "top secret" not in (folder / "args").read_text() + (folder / "env").read_text()
    assert (folder / "config").read_text() == 'username "monitor"\npassword "top secret"\n'
    assert "--get-system-power-statistics" in (folder / "args").read_text()


async def test_without_a_tool_the_fix_is_named(tool):
    with pytest.raises(ConfigError) as raised:
        await IpmiDriver(device(), find("ipmi-dcmi")).open()
    assert raised.value.code == "no_ipmi_tool"
    assert "redfish://" in raised.value.hint


async def test_a_tool_that_hangs_is_killed(tool):
    folder = tool("ipmitool", f'echo $$ > "{os.devnull}"; exec sleep 60')
    with pytest.raises(Unreachable):
        await IpmiDriver(device(timeout_s=0.3), find("ipmi-dcmi")).open()
    assert (folder / "args").exists()


@pytest.mark.parametrize(
    ("complaint", "kind"),
    [
        ("Error: Unable to establish IPMI v2 / RMCP+ session", Unreachable),  # ipmitool, also for a wrong password
        ("ipmi-dcmi: password invalid", AccessDenied),  # FreeIPMI
        ("RAKP 2 message indicates an error : unauthorized name", AccessDenied),
        ("DCMI request failed because: Invalid command (c1)", BadAnswer),
    ],
)
async def test_what_a_tool_complains_of(tool, complaint, kind):
    tool("ipmitool", f"echo '{complaint}' >&2; exit 1")
    with pytest.raises(kind) as raised:
        await IpmiDriver(device(), find("ipmi-dcmi")).open()
    assert complaint in raised.value.detail
    assert "top secret" not in raised.value.explanation


async def test_the_energy_of_a_lenovo(tool):
    """Bytes as the request of Lenovo's own client is answered: 2 of header, joules, millijoules, little end first."""
    tool("ipmitool", IPMITOOL, maker=19046, raw=" 04 02 40 e2 01 00 15 03")
    profile = await identify(device())
    assert profile.name == "ipmi-lenovo"
    driver = await driver_for(device())
    _, found = await polled(driver)
    assert found == {"total:power": 613.0, "total:energy": 123456.789, "average:power": 588.0}


async def test_a_lenovo_without_the_counter(tool):
    tool("ipmitool", IPMITOOL, maker=19046)
    driver = await driver_for(device())
    _, found = await polled(driver)
    assert found == {"total:power": 613.0, "average:power": 588.0}
    assert driver.missing == ("total:energy",)


async def test_another_maker_has_the_profile_for_all(tool):
    tool("ipmitool", IPMITOOL, maker=674)
    assert (await identify(device())).name == "ipmi-dcmi"


async def test_a_password_that_freeipmi_cannot_read(tool, monkeypatch):
    tool("ipmi-dcmi", FREEIPMI)
    monkeypatch.setenv("BMC_PASSWORD", 'a"b')
    with pytest.raises(ConfigError) as raised:
        await IpmiDriver(device(), find("ipmi-dcmi")).open()
    assert 'a"b' not in raised.value.explanation


@pytest.mark.parametrize(("parse", "text"), [(parse_ipmitool, IPMITOOL), (parse_freeipmi, FREEIPMI)])
def test_both_tools_say_the_same(parse, text):
    assert parse(text) == (613.0, 588.0, 300.0)
    off = text.replace("activated", "deactivated").replace(": Active", ": Inactive")
    assert parse(off) == (None, None, 300.0)
    with pytest.raises(BadAnswer):
        parse("DCMI is not supported\n")


async def test_zero_watts_is_missing(tool):
    tool("ipmitool", IPMITOOL.replace("613", "0"))
    _, found = await polled(IpmiDriver(device(), find("ipmi-dcmi")))
    assert found["total:power"] != found["total:power"]
    assert found["average:power"] == 588.0


def test_a_profile_is_plain_data():
    assert json.dumps(find("ipmi-lenovo").model_dump(mode="json"))
