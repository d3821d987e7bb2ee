"""The recorded outputs of IPMI tools: each is put on the PATH as the program it was recorded from."""

import os
import shutil

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.profiles.registry import find
from collectors.protocols.ipmi.driver import IpmiDriver
from tests.conformance.captures import capture

pytestmark = [pytest.mark.conformance, pytest.mark.anyio]


@pytest.mark.parametrize(
    ("recorded", "power", "average", "over"),
    [
        ("openipmi/ipmitool", 2578.0, 2567.0, "average over 300 s"),
        ("freeipmi/ipmi-dcmi", 332.0, 348.0, "average over the time since the BMC last reset it"),  # 31 days
    ],
)
async def test_recorded_output(tmp_path, monkeypatch, recorded, power, average, over):
    tool = tmp_path / os.path.basename(recorded)
    shutil.copyfile(capture(f"redfish/ipmi/ceems/{recorded}"), tool)
    tool.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    driver = IpmiDriver(PolledDevice("bmc", "ipmi-dcmi", Address.parse("ipmi://127.0.0.1")), find("ipmi-dcmi"))
    await driver.open()
    (frame,) = (await driver.read({"main"})).frames
    await driver.close()
    assert dict(zip(frame.layout.index, frame.values, strict=True)) == {"total:power": power, "average:power": average}
    assert frame.layout.series[1].sensor == over
