"""Meters and BMCs that answer with garbage, without end, in drops or too much: a named error, within bounds.

The suite of `tests/collectors/http/test_hostile_web.py` for SCPI, VXI-11, Modbus and IPMI.
"""

import asyncio
import random
import stat
import struct
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from collectors.contract.address import Address
from collectors.device.device import Note, PolledDevice
from collectors.polling.poller import Poller
from collectors.protocols.ipmi import tools
from tests.collectors.polling.test_poller import Kept

pytestmark = pytest.mark.anyio
METERS = [
    ("scpi", "yokogawa-wt310"), ("vxi11", "yokogawa-wt310"), ("modbus", "eastron-sdm630"), ("scpi", "auto"),
    ("vxi11", "auto"), ("modbus", "auto"),
]  # fmt: skip
MOST_TAKEN = 2**20
"""Octets that a client may take of an endless answer: what the buffers of sockets and streams hold."""


class Hostile:
    """A server that answers whatever arrives with `answer`, then repeats `endless`; it counts what it could send."""

    def __init__(self, answer: bytes = b"", endless: bytes = b"", every_s: float = 0.0) -> None:
        self.answer, self.endless, self.every_s = answer, endless, every_s
        self.sent = self.port = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.read(4096):
                writer.write(self.answer)
                await writer.drain()
                while self.endless:
                    writer.write(self.endless)
                    await writer.drain()
                    self.sent += len(self.endless)
                    await asyncio.sleep(self.every_s)
        except ConnectionError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(hostile: Hostile):
    server = await asyncio.start_server(hostile.handle, "127.0.0.1", 0)
    hostile.port = server.sockets[0].getsockname()[1]
    try:
        yield hostile.port
    finally:
        server.close()


async def polled(scheme: str, profile: str, port: int, polls: int = 1, timeout_s: float = 0.15) -> list[str]:
    """Poll a device and return the codes of its failures."""
    kept = Kept()
    device = PolledDevice("m", profile, Address.parse(f"{scheme}://127.0.0.1:{port}"), 1.0, timeout_s)
    poller = Poller(device, kept)
    for n in range(polls):
        async with asyncio.timeout(8):
            await poller.poll(1_000 * n)
    await poller._close()
    assert all(len(failure.detail) <= 1_000 and failure.detail.isprintable() for failure in kept.failures)
    return [failure.code for failure in kept.failures]


@pytest.mark.parametrize(("scheme", "profile"), METERS)
@pytest.mark.parametrize(
    "answer",
    [
        b"\n", b"\x00" * 50, b"\xff" * 3_000, b"A" * 60_000 + b"\n", b"\x1b[2J\n", b"9" * 5_000 + b"\n",
        b"\x80\x00\x00\x00", struct.pack(">I", 0) * 500, b"\x00\x01\x00\x00\x00\x03\x01\x83\x02",
    ],
    ids=lambda answer: f"{answer[:4]!r} {len(answer)}",
)  # fmt: skip
async def test_garbage_is_a_named_error(scheme, profile, answer):
    async with serving(Hostile(answer)) as port:
        codes = await polled(scheme, profile, port, timeout_s=0.06)
    assert codes
    assert "internal_error" not in codes


@pytest.mark.parametrize(("scheme", "profile"), METERS[:3])
async def test_random_octets_are_a_named_error(scheme, profile):
    """Each answer begins as one of the protocol does, so that decoding gets beyond the head."""
    chance = random.Random(1)
    heads = {"scpi": [b""], "vxi11": [struct.pack(">I", 0x8000_0040 | n) for n in (0, 24)], "modbus": [b""]}
    for n in range(12):
        body = chance.randbytes(chance.randrange(1, 200))
        if scheme == "modbus":
            heads["modbus"] = [struct.pack(">HHHBB", n % 3 + 1, 0, chance.randrange(1, 90), 1, chance.choice((3, 4)))]
        async with serving(Hostile(chance.choice(heads[scheme]) + body + b"\n")) as port:
            assert "internal_error" not in await polled(scheme, profile, port, timeout_s=0.04)


@pytest.mark.parametrize(("scheme", "profile"), METERS[:3])
async def test_an_endless_answer_is_not_kept(scheme, profile):
    hostile = Hostile(endless=b"x" * 65_536)
    async with serving(hostile) as port:
        codes = await polled(scheme, profile, port)
    assert codes
    assert "internal_error" not in codes
    assert hostile.sent < 64 * MOST_TAKEN


@pytest.mark.parametrize(("scheme", "profile"), METERS[:3])
async def test_an_answer_in_drops_ends_in_time(scheme, profile):
    async with serving(Hostile(endless=b"1", every_s=0.02)) as port:
        assert "internal_error" not in await polled(scheme, profile, port)


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("while :; do echo 0123456789012345678901234567890123456789; done", "answer_too_large"),
        ("while :; do echo 0123456789012345678901234567890123456789 >&2; done", "answer_too_large"),
        ("printf 'Instantaneous power reading: %05000d Watts' 1", "no_power_reading"),
        ("printf '\\033[2J\\377\\n'", "no_power_reading"),
        ("printf '\\033]0;x\\007' >&2; exit 1", "bad_answer"),
        ("while :; do :; done", "device_timeout"),
    ],
    ids=["endless", "endless errors", "giant number", "escapes", "escapes in an error", "silent"],
)
async def test_a_bmc_whose_tool_prints_anything(script, code, tmp_path: Path, monkeypatch):
    tool = tmp_path / "ipmitool"
    tool.write_text(f'#!/bin/sh\ncase "$*" in *raw*|*"mc info"*) exit 1;; esac\n{script}\n')
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("BMC", "top secret")
    kept = Kept()
    auth = {"user": "monitor", "password": "env:BMC"}
    device = PolledDevice("b", "ipmi-dcmi", Address.parse("ipmi://127.0.0.1"), 1.0, 1.0, auth)
    await Poller(device, kept).poll(0)
    (failure,) = kept.failures
    assert (failure.code, len(failure.detail) < 1_001, failure.detail.isprintable()) == (code, True, True)


def test_numbers_of_a_bmc_have_bounds():
    reading = tools.parse_ipmitool(f"Instantaneous power reading: 613 Watts\nSampling period: {'9' * 5000} Seconds.")
    assert (reading.instant_w, reading.period_s) == (613.0, None)
    assert tools._MANUFACTURER.search(f"Manufacturer ID : {'9' * 5000}") is None


async def test_a_finding_is_one_short_line():
    note = Note("meter_configured", "a\r\nINFO forged line\x1b[31m" + "x" * 2_000)
    assert note.detail.startswith("a  INFO forged line [31mxxx")
    assert len(note.detail) == 1_000
