"""Devices that answer over HTTP with far too much: the error names the limit, and other devices keep their turn."""

import asyncio
import gzip
import json
import math
import zlib
from collections.abc import Sequence
from contextlib import asynccontextmanager

import pytest

from collectors.contract.address import Address
from collectors.contract.frame import Frame
from collectors.device.device import Note, PolledDevice
from collectors.device.limits import MOST_BYTES, MOST_SERIES
from collectors.errors import BadAnswer, Unreachable
from collectors.polling.drivers import driver_for
from collectors.polling.poller import FailedPoll, Poller
from collectors.profiles.registry import find
from collectors.protocols.openmetrics import exposition
from collectors.protocols.openmetrics.driver import ExpositionPage, OpenMetricsDriver
from collectors.protocols.openmetrics.exposition import LONGEST_LINE, MOST_LINES, MOST_SAMPLES, slices
from collectors.protocols.openmetrics.plan import read_exposition
from collectors.protocols.openmetrics.sample_answer import read_answer
from collectors.protocols.redfish.client import RedfishClient
from collectors.protocols.redfish.driver import RedfishDriver
from collectors.protocols.redfish.tree import Tree, number
from tests.http_responder import responding

pytestmark = pytest.mark.anyio

ONE = 'DCGM_FI_DEV_POWER_USAGE{gpu="0"} 400\n'


@asynccontextmanager
async def sending(head: str, *parts: bytes, endless: bytes = b"", every_s: float = 0.0):
    """A server that answers every request with these octets; `endless` is repeated until the client hangs up."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + b"".join(parts))
            await writer.drain()
            while endless:
                writer.write(endless)
                await writer.drain()
                await asyncio.sleep(every_s)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def device(url: str, profile: str = "dcgm", path: str = "/metrics", timeout_s: float = 2.0) -> PolledDevice:
    return PolledDevice("n1", profile, Address.parse(f"{url}{path}"), timeout_s=timeout_s)


async def fetched(url: str, timeout_s: float = 2.0) -> str:
    page = ExpositionPage(device(url, timeout_s=timeout_s))
    try:
        return await page.fetch()
    finally:
        await page.close()


async def refused(code: str, url: str, timeout_s: float = 2.0) -> str:
    with pytest.raises((BadAnswer, Unreachable)) as caught:
        await fetched(url, timeout_s)
    assert caught.value.code == code
    return caught.value.detail


async def test_an_endless_body_ends_at_the_limit():
    async with sending("Connection: close", endless=b"x" * 65536) as url:
        assert "more than 16 MiB" in await refused("answer_too_large", url)


async def test_an_endless_redfish_body_ends_at_the_limit():
    async with sending("Content-Type: application/json", b'{"a": "', endless=b"x" * 65536) as url:
        client = RedfishClient(device(url, "redfish", "/"))
        with pytest.raises(BadAnswer, match="more than 4 MiB"):
            await client.get("/redfish/v1/")
        await client.close()


async def test_a_gzip_bomb_is_not_unpacked_beyond_the_limit():
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    zeros = bytes(2**20)
    bomb = b"".join(packer.compress(zeros) for _ in range(200)) + packer.flush()
    assert len(bomb) < 2**18 < MOST_BYTES < 200 * len(zeros)
    async with sending(f"Content-Encoding: gzip\r\nContent-Length: {len(bomb)}", bomb) as url:
        await refused("answer_too_large", url)


async def test_gzip_is_unpacked():
    packed = gzip.compress(ONE.encode())
    async with sending(f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}", packed) as url:
        assert await fetched(url) == ONE


@pytest.mark.parametrize("body", [b"not gzip", gzip.compress(ONE.encode())[:-9]], ids=["foreign", "cut"])
async def test_damaged_gzip_is_named(body: bytes):
    async with sending(f"Content-Encoding: gzip\r\nContent-Length: {len(body)}", body) as url:
        await refused("damaged_gzip", url)


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip"])
async def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str):
    async with sending(f"Content-Encoding: {encoding}\r\nContent-Length: 3", b"abc") as url:
        assert encoding in await refused("unknown_encoding", url)


async def test_an_answer_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("collectors.device.web_answer._WHOLE_ANSWER", 0.3)
    async with sending("Connection: close", endless=b"x", every_s=0.02) as url:
        assert "did not finish its answer in 0.3 s" in await refused("device_timeout", url, timeout_s=1.0)


async def test_a_long_exposition_is_parsed_in_slices_between_which_others_have_their_turn():
    """100,000 lines, which blocked the loop for 85 s in one piece, are at least 200 turns of other tasks."""
    text = "".join(f'DCGM_FI_DEV_POWER_USAGE_{n % 7}{{gpu="{n}"}} 400\n' for n in range(99_999)) + ONE
    assert {len(lines) for lines in slices(text)} == {500}
    turns = 0

    async def neighbour() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(neighbour())
    found = await read_exposition(find("dcgm"), text)
    task.cancel()
    assert [(item.series.key, item.value) for item in found] == [("gpu/0:power", 400.0)]
    assert turns >= 200


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x 1\n" * (MOST_LINES + 1), "too_many_lines"),
        ("\n" * (MOST_LINES + 1), "too_many_lines"),
        (ONE * (MOST_SAMPLES + 501), "too_many_samples"),
        ("".join(f'DCGM_FI_DEV_POWER_USAGE{{gpu="{n}"}} 1\n' for n in range(MOST_SERIES + 501)), "too_many_series"),
    ],
)
async def test_too_much_is_refused_with_its_name(text: str, code: str):
    with pytest.raises(BadAnswer) as caught:
        await read_exposition(find("dcgm"), text)
    assert caught.value.code == code


async def test_a_giant_label_is_not_parsed(monkeypatch: pytest.MonkeyPatch):
    parsed: list[int] = []
    parse = exposition.text_string_to_metric_families
    monkeypatch.setattr(
        exposition, "text_string_to_metric_families", lambda line: parsed.append(len(line)) or parse(line)
    )
    giant = f'DCGM_FI_DEV_POWER_USAGE{{gpu="1",UUID="{"x" * 5_000_000}"}} 400\n'
    found = await read_exposition(find("dcgm"), giant + ONE)
    assert [item.series.key for item in found] == ["gpu/0:power"]
    assert max(parsed) < LONGEST_LINE


async def test_a_label_is_one_short_line_and_may_hold_separators_of_lines():
    line = f'DCGM_FI_DEV_POWER_USAGE{{gpu="0",UUID="a\u2028b{"x" * 300}"}} 400\n'
    (item,) = await read_exposition(find("dcgm"), line)
    assert item.series.label == f"a b{'x' * 196}…"


async def test_the_driver_names_the_exporter():
    async with responding(lambda request: (200, "x 1\n" * (MOST_LINES + 1))) as server:
        driver = OpenMetricsDriver(device(server.url), find("dcgm"))
        with pytest.raises(BadAnswer, match=rf"{server.url}/metrics: .* more than {MOST_LINES} lines"):
            await driver.open()


async def test_a_device_that_is_unknown_is_identified_within_the_same_limits():
    async with responding(lambda request: (200, "x 1\n" * (MOST_LINES + 1))) as server:
        with pytest.raises(BadAnswer, match="lines"):
            await driver_for(device(server.url, "auto"))


class Kept:
    """A sink that keeps what two devices bring, by device."""

    def __init__(self) -> None:
        self.polled: list[str] = []
        self.codes: list[str] = []

    def frames(self, frames: Sequence[Frame], fence: int | None = None) -> None:
        self.polled += [frame.layout.device for frame in frames]

    def failure(self, failure: FailedPoll) -> None:
        self.codes.append(failure.code)

    def event(self, device: str, note: Note) -> None: ...


async def test_an_honest_device_keeps_its_interval_beside_a_hostile_one():
    """Both are polled at 10 Hz by one loop; the hostile one answers with 21,000 samples."""
    hostile = "".join(f'DCGM_FI_DEV_POWER_USAGE{{gpu="{n}"}} 400\n' for n in range(21_000))
    kept = Kept()
    async with (
        responding(lambda request: (200, ONE)) as honest,
        responding(lambda request: (200, hostile)) as other,
    ):
        devices = [
            PolledDevice(key, "dcgm", Address.parse(f"{server.url}/metrics"), interval_s=0.1, timeout_s=2.0)
            for key, server in (("honest", honest), ("hostile", other))
        ]
        pollers = [Poller(device, kept) for device in devices]
        tasks = [asyncio.create_task(poller.run()) for poller in pollers]
        async with asyncio.timeout(20):
            while pollers[1].failures < 1 or pollers[0].polls < 5:
                await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert set(kept.polled) == {"honest"}
    assert kept.codes.count("too_many_samples") >= 1
    assert pollers[0].failures == 0


GOOD = {
    "format": 1, "interval_ms": 500, "now_ms": 1, "cursor": "a", "head": "a", "lost": None, "events": [],
    "t_ms": [1], "columns": [{"point": "gpu/0", "value": "power", "sensor": "average", "values": [1.0]}],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2}, {"t_ms": "x"}, {"t_ms": [None]}, {"t_ms": [2**70]}, {"columns": {}}, {"columns": [{}]},
        {"interval_ms": 0}, {"interval_ms": 10**12}, {"events": [1]}, {"lost": 3}, {"cursor": "x" * 201},
        {"columns": [GOOD["columns"][0] | {"values": []}]}, {"columns": [GOOD["columns"][0] | {"modulus": -1}]},
        {"columns": [GOOD["columns"][0] | {"values": ["x"]}]}, {"t_ms": [1] * 20_001},
    ],
)  # fmt: skip
async def test_samples_of_another_form_are_a_bad_answer(change: dict[str, object]):
    with pytest.raises(BadAnswer):
        read_answer(json.dumps(GOOD | change), "http://n1/samples")


@pytest.mark.parametrize("text", ["", "[" * 100_000, "null", '{"format": 1}', "9" * 10_000])
async def test_what_is_no_answer_of_samples_is_a_bad_answer(text: str):
    with pytest.raises(BadAnswer, match="format 1"):
        read_answer(text, "http://n1/samples")


async def refused_service(answer) -> BadAnswer:
    """Return the error of a Redfish driver about a service."""
    async with responding(lambda request: (200, answer(request.path.rstrip("/")))) as server:
        driver = RedfishDriver(device(server.url, "redfish-server", "/"), find("redfish-server"))
        with pytest.raises(BadAnswer) as caught:
            await driver.open()
        return caught.value


def redfish(collection: object) -> object:
    """A service whose chassis collection is `collection`."""
    root = {"Chassis": {"@odata.id": "/redfish/v1/Chassis"}}
    return lambda path: collection if path.endswith("/Chassis") else root


@pytest.mark.parametrize("inline", [{}, {"Name": "x"}])
async def test_a_collection_without_end_is_refused(inline: dict[str, str]):
    members = [{"@odata.id": f"/redfish/v1/Chassis/{n}", **inline} for n in range(20_000)]
    assert (await refused_service(redfish({"Members": members}))).code == "too_many_resources"


async def test_a_list_without_end_is_refused():
    supplies = [{"PowerInputWatts": 1.0, "MemberId": str(n)} for n in range(MOST_SERIES + 1)]
    chassis = {"@odata.id": "/redfish/v1/Chassis/1", "Power": {"@odata.id": "/redfish/v1/Power"}}

    def answer(path: str) -> object:
        if path.endswith("/Power"):
            return {"PowerSupplies": supplies, "PowerControl": [{"PowerConsumedWatts": 1.0}]}
        return redfish({"Members": [chassis]})(path)

    assert (await refused_service(answer)).code == "too_many_resources"


@pytest.mark.parametrize("body", ["[" * 100_000, '{"Chassis": ' + "9" * 5000 + "}", "\ud7ff", "{"])
async def test_json_that_cannot_be_read_is_no_service(body: str):
    assert (await refused_service(lambda path: body)).code == "not_redfish"


async def test_a_number_without_bounds_is_missing():
    assert math.isnan(number({"Reading": 10**400}, "Reading", "W"))
    assert number({"Reading": 400}, "Reading", "W") == 400.0


async def test_all_resources_of_a_discovery_are_limited_together():
    """600 resources of 4 MiB each are within the limit of one, and 2.4 GiB."""
    pad = "x" * (4 * 2**20 - 1000)
    members = [{"@odata.id": f"/redfish/v1/Chassis/{n}"} for n in range(20)]

    def answer(path: str) -> object:
        listed = redfish({"Members": members})(path)
        return {"@odata.id": path, "pad": pad} if path.rpartition("/")[2].isdigit() else listed

    async with responding(lambda request: (200, answer(request.path.rstrip("/")))) as server:
        client = RedfishClient(device(server.url, "redfish", "/"))
        tree = Tree(client, await client.open(), {})
        places = await tree.places("Chassis/{chassis}")
        await client.close()
    assert (len(places), len(tree.refused)) == (8, 12)
