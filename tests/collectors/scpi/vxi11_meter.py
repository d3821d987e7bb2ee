"""A meter behind VXI-11: a port mapper and the core channel on real sockets, written from the specification."""

from __future__ import annotations

import asyncio
import struct
from contextlib import asynccontextmanager

from tests.collectors.scpi.scpi_meter import Meter

PORT_MAPPER, CORE = 100_000, 0x0607AF
OK, IO_TIMEOUT = 0, 15


class Link:
    """`part` is how many bytes one read gives; `error` is what every write answers."""

    def __init__(self, meter: Meter, part: int = 1 << 16, error: int = OK, offered: bool = True) -> None:
        self.meter, self.part, self.error, self.offered = meter, part, error, offered
        self.port = 0
        self.links: set[int] = set()
        self.waiting = b""

    def results(self, program: int, procedure: int, body: bytes) -> bytes:
        if (program, procedure) == (PORT_MAPPER, 3):
            wanted = struct.unpack(">4I", body)
            return struct.pack(">I", self.port if self.offered and wanted == (CORE, 1, 6, 0) else 0)
        if procedure == 10:
            (length,) = struct.unpack_from(">I", body, 12)
            assert body[16 : 16 + length] == b"inst0"
            self.links.add(7)
            return struct.pack(">4I", OK, 7, 0, 1 << 16)
        assert struct.unpack_from(">I", body)[0] in self.links
        if procedure == 23:
            self.links.clear()
            return struct.pack(">I", OK)
        return self._written(body) if procedure == 11 else self._read()

    def _written(self, body: bytes) -> bytes:
        _, _, _, flags, length = struct.unpack_from(">5I", body)
        assert flags == 8, "the end of a message is marked"
        line = body[20 : 20 + length]
        answer = self.meter.answer(line.decode().strip()) if not self.error else None
        self.waiting = f"{answer}\n".encode() if answer is not None and not self.meter.silent else b""
        return struct.pack(">2I", self.error, length)

    def _read(self) -> bytes:
        if not self.waiting:
            return struct.pack(">3I", IO_TIMEOUT, 0, 0)
        now, self.waiting = self.waiting[: self.part], self.waiting[self.part :]
        reason = 0 if self.waiting else 4
        return struct.pack(">3I", OK, reason, len(now)) + now + b"\0" * (-len(now) % 4)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.meter.writers.append(writer)
        self.meter.connections += 1
        try:
            while True:
                (mark,) = struct.unpack(">I", await reader.readexactly(4))
                call = await reader.readexactly(mark & 0x7FFFFFFF)
                number, kind, version, program, _, procedure, *_ = struct.unpack_from(">10I", call)
                assert (kind, version) == (0, 2)
                results = self.results(program, procedure, call[40:])
                reply = struct.pack(">6I", number, 1, 0, 0, 0, 0) + results
                writer.write(struct.pack(">I", 0x80000000 | len(reply)) + reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def serving(link: Link):
    """The port mapper and the meter on ephemeral ports; yields the address of the mapper."""
    core = await asyncio.start_server(link.handle, "127.0.0.1", 0)
    mapper = await asyncio.start_server(link.handle, "127.0.0.1", 0)
    link.port = core.sockets[0].getsockname()[1]
    try:
        yield f"vxi11://127.0.0.1:{mapper.sockets[0].getsockname()[1]}"
    finally:
        core.close()
        mapper.close()
