"""The exporter driver against a real HTTP server."""

import asyncio
import math
import os
import shutil

import pytest

from collectors.contract.address import Address
from collectors.device.device import PolledDevice
from collectors.errors import AccessDenied, BadAnswer, Unreachable
from collectors.profiles.registry import find
from collectors.protocols.openmetrics.driver import OpenMetricsDriver
from collectors.protocols.openmetrics.exposition import samples
from collectors.protocols.openmetrics.plan import read_exposition
from tests.collectors.agents import Steps, by_key
from tests.http_responder import responding
from tests.redfish_service import Service, certificates, serving

UUID = "GPU-34319582-d595-d1c7-d1d2-179bcfa61660"
DCGM = f"""# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).
# TYPE DCGM_FI_DEV_POWER_USAGE gauge
DCGM_FI_DEV_POWER_USAGE{{gpu="0",UUID="{UUID}",device="nvidia0",Hostname="n1"}} 409.692000
DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{gpu="0",UUID="{UUID}",Hostname="n1"}} 319159391
DCGM_FI_DEV_GPU_UTIL{{gpu="0",UUID="{UUID}",Hostname="n1"}} 97
DCGM_FI_DEV_GPU_TEMP{{gpu="0",UUID="{UUID}",Hostname="n1"}} 61
DCGM_FI_DEV_XID_ERRORS{{gpu="0",UUID="{UUID}",Hostname="n1"}} 0
DCGM_FI_DEV_POWER_USAGE{{gpu="10",UUID="GPU-b",Hostname="n1"}} 55.5
DCGM_FI_DEV_POWER_USAGE{{gpu="9",UUID="GPU-a",Hostname="n1"}} N/A
"""
MIG = f"""DCGM_FI_DEV_POWER_USAGE{{gpu="0",UUID="{UUID}"}} 400
DCGM_FI_DEV_POWER_USAGE{{gpu="0",UUID="{UUID}",GPU_I_PROFILE="1g.5gb",GPU_I_ID="13"}} 400
DCGM_FI_DEV_POWER_USAGE{{gpu="0",UUID="{UUID}",GPU_I_PROFILE="1g.5gb",GPU_I_ID="14"}} 400
"""


def device(url: str, **auth: str) -> PolledDevice:
    return PolledDevice("node-1-exporter", "dcgm", Address.parse(f"{url}/metrics"), timeout_s=1.0, auth=auth)


def values(text: str) -> dict[str, float]:
    return {found.series.key: found.value for found in asyncio.run(read_exposition(find("dcgm"), text))}


@pytest.mark.anyio
async def test_a_dcgm_exporter():
    async with responding(lambda request: (200, DCGM)) as server:
        driver = OpenMetricsDriver(device(server.url), find("dcgm"), clock=Steps(start=0, step=10))
        await driver.open()
        (frame,) = (await driver.read({"main"})).frames
        await driver.close()
    found = by_key(frame)
    assert found["gpu/0:power"] == pytest.approx(409.692)
    assert found["gpu/0:energy"] == pytest.approx(319_159.391)  # the counter is mJ
    assert found["gpu/0:utilization"] == 97.0
    assert found["gpu/0:temperature"] == 61.0
    assert math.isnan(found["gpu/9:power"])  # N/A
    assert frame.t_ms == 15
    assert [s.key for s in frame.layout.series if s.quantity == "power"] == [
        "gpu/0:power",
        "gpu/9:power",
        "gpu/10:power",
    ]
    assert {s.label for s in frame.layout.series if s.point == "gpu/0"} == {UUID}
    assert driver.missing == ("DCGM_FI_DEV_POWER_MGMT_LIMIT",)


def test_a_slice_is_not_a_second_board():
    assert values(MIG) == {"gpu/0:power": 400.0}


@pytest.mark.parametrize(
    ("metric", "blank"),
    [
        ("DCGM_FI_DEV_GPU_TEMP", "9223372036854775794"),
        ("DCGM_FI_DEV_GPU_UTIL", "2147483634"),
        ("DCGM_FI_DEV_POWER_USAGE", "140737488355328"),
        ("DCGM_FI_DEV_POWER_USAGE", "nan"),
        ("DCGM_FI_DEV_POWER_USAGE", "N/A"),
    ],
)
def test_blanks_are_missing(metric, blank):
    (value,) = values(f'{metric}{{gpu="0",UUID="u"}} {blank}').values()
    assert math.isnan(value)


def test_an_energy_that_looks_like_a_32_bit_blank_is_a_reading():
    assert values('DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0",UUID="u"} 2147483632')["gpu/0:energy"] == 2147483.632


def test_a_torn_line_costs_itself():
    text = 'a{x="1"} 1\nb{x="2\nc 3 1700000000\n# EOF\nd 4 # {trace="5"} 0.1\n'
    assert [(s.name, s.value) for s in samples(text.split("\n"))] == [("a", 1.0), ("c", 3.0), ("d", 4.0)]


@pytest.mark.anyio
async def test_a_proxy_of_the_environment_does_not_stand_before_devices(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    async with responding(lambda request: (200, DCGM)) as server:
        driver = OpenMetricsDriver(device(server.url), find("dcgm"))
        await driver.open()
        await driver.close()
    assert server.asked("/metrics")


@pytest.mark.anyio
async def test_a_gpu_that_goes_is_missing_and_one_that_comes_makes_a_new_layout():
    texts = [
        DCGM,
        DCGM,
        "\n".join(line for line in DCGM.splitlines() if '"10"' not in line),
        DCGM.replace("GPU-b", "GPU-c"),
    ]
    async with responding(lambda request: (200, texts.pop(0))) as server:
        driver = OpenMetricsDriver(device(server.url), find("dcgm"))
        await driver.open()
        whole, without, swapped = [await driver.read({"main"}) for _ in range(3)]
        await driver.close()
    assert without.frames[0].layout == whole.frames[0].layout
    assert math.isnan(by_key(without.frames[0])["gpu/10:power"])
    assert [note.kind for note in swapped.notes] == ["layout_changed"]
    assert "GPU-c" in {series.label for series in swapped.frames[0].layout.series}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("status", "text", "error", "code"),
    [
        (401, "", AccessDenied, "access_denied"),
        (503, "", BadAnswer, "http_503"),
        (200, "up 1\n", BadAnswer, "nothing_to_read"),
    ],
)
async def test_wrong_answers(status, text, error, code):
    async with responding(lambda request: (status, text)) as server:
        driver = OpenMetricsDriver(device(server.url), find("dcgm"))
        with pytest.raises(error) as caught:
            await driver.open()
        await driver.close()
    assert caught.value.code == code


@pytest.mark.anyio
async def test_no_server_listens():
    async with responding(lambda request: (200, "")) as server:
        url = server.url
    driver = OpenMetricsDriver(device(url), find("dcgm"))
    with pytest.raises(Unreachable):
        await driver.open()
    await driver.close()


@pytest.mark.anyio
async def test_the_token_is_sent_and_not_shown(monkeypatch):
    monkeypatch.setenv("EXPORTER_TOKEN", "s3cret")
    async with responding(lambda request: (200, DCGM)) as server:
        one = device(server.url, token="env:EXPORTER_TOKEN")
        driver = OpenMetricsDriver(one, find("dcgm"))
        await driver.open()
        await driver.close()
    assert server.requests[0].headers["authorization"] == "Bearer s3cret"
    assert "s3cret" not in repr(one)


@pytest.mark.anyio
async def test_a_connection_is_let_go_when_opening_fails():
    async with responding(lambda request: (200, "something_else 1\n")) as server:
        driver = OpenMetricsDriver(device(server.url), find("dcgm"))
        with pytest.raises(BadAnswer):
            await driver.open()
        with pytest.raises(Unreachable) as raised:
            await driver.read({"main"})
    assert raised.value.code == "not_open"


@pytest.mark.anyio
async def test_a_ca_and_no_warning(tmp_path):
    if shutil.which("openssl") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("openssl is not installed")
    ca, tls = certificates(tmp_path)
    async with serving(Service({"/metrics": DCGM}), tls) as url:
        address = url.replace("redfish", "https")
        with pytest.raises(Unreachable) as raised:
            await OpenMetricsDriver(device(address), find("dcgm")).open()
        assert raised.value.code == "bad_certificate"
        driver = OpenMetricsDriver(device(address, ca=str(ca)), find("dcgm"))
        await driver.open()
        await driver.close()
