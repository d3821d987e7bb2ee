"""Queries over VXI-11 (VXI-11 TCP/IP Instrument Protocol Specification 1.0): remote procedure calls
(RFC 5531, data as of RFC 4506) on a port that the instrument's port mapper names (RFC 1833)."""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress

from collectors.contract import Address
from collectors.errors import BadAnswer, DeviceError, Unreachable

_PORT_MAPPER, _GET_PORT = (100_000, 2), 3
_CORE = (0x0607AF, 1)
_CREATE_LINK, _WRITE, _READ, _DESTROY_LINK = 10, 11, 12, 23
_TCP, _END = 6, 0x08
_REASON_END = 0x04
_LAST = 0x8000_0000
_LONGEST = 1 << 16
_MOST_PARTS = 100
_ERRORS = {
    3: "the device is not accessible",
    4: "the link no longer exists",
    5: "a parameter is wrong",
    9: "it has no free link",
    11: "another program has locked it",
    15: "it did not respond in time",
    17: "input or output failed",
}


class Connection:
    """One connection for consecutive calls."""

    def __init__(self, streams: tuple[asyncio.StreamReader, asyncio.StreamWriter]) -> None:
        self._reader, self._writer = streams
        self._number = 0

    async def call(self, program: tuple[int, int], procedure: int, arguments: bytes) -> bytes:
        """Call a procedure and return its results.

        Raises
        ------
        OSError, EOFError, ValueError
        """
        self._number += 1
        head = struct.pack(">10I", self._number, 0, 2, *program, procedure, 0, 0, 0, 0)
        if self._writer.is_closing():  # uvloop reports writing to a closed connection as a programming error
            raise ConnectionResetError("the connection is closed")
        self._writer.write(struct.pack(">I", _LAST | len(head + arguments)) + head + arguments)
        await self._writer.drain()
        reply = await self._record()
        number, kind, refused, _, length = struct.unpack_from(">5I", reply)
        (status,) = struct.unpack_from(">I", reply, 20 + length)
        if (number, kind, refused, status) != (self._number, 1, 0, 0):
            raise ValueError(f"procedure {procedure} was rejected: {kind}, {refused}, {status}")
        return reply[24 + length :]

    async def _record(self) -> bytes:
        record = b""
        for _ in range(_MOST_PARTS):
            (mark,) = struct.unpack(">I", await self._reader.readexactly(4))
            if len(record) + (mark & ~_LAST) > 2 * _LONGEST:
                raise ValueError("the response is too long")
            record += await self._reader.readexactly(mark & ~_LAST)
            if mark & _LAST:
                return record
        raise ValueError(f"the response has more than {_MOST_PARTS} fragments")

    async def close(self) -> None:
        """Disconnect."""
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


class Vxi11Client:
    """One link to the instrument `inst0`. Like `ScpiClient`, it must be reopened after any error."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._connection: Connection | None = None
        self._link = 0

    async def open(self) -> None:
        """Get the port, connect and create the link.

        Raises
        ------
        Unreachable, BadAnswer
        """
        await self.close()
        host, port = self._address.host, self._address.port
        mapper = await self._connect(port)
        try:
            asked = struct.pack(">4I", *_CORE, _TCP, 0)
            (port,) = self._numbers(">I", await self._called(mapper, _PORT_MAPPER, _GET_PORT, asked))
        finally:
            await mapper.close()
        if not 0 < port < 65536:
            raise BadAnswer(f"{host} does not offer VXI-11", "try scpi://HOST:PORT", "no_vxi11")
        self._connection = await self._connect(port)
        try:
            answer = await self._core(_CREATE_LINK, struct.pack(">3I", 0, 0, 0) + _opaque(b"inst0"))
            (self._link,) = self._numbers(">I", answer)
        except BaseException:
            await self.close()
            raise

    async def tell(self, command: str) -> None:
        """Send a command.

        Raises
        ------
        Unreachable, BadAnswer
        """
        timeout_ms = round(1000 * self._timeout_s)
        head = struct.pack(">4I", self._link, timeout_ms, 0, _END)
        await self._core(_WRITE, head + _opaque(f"{command}\n".encode("ascii")))

    async def ask(self, query: str) -> str:
        """Return the response to a query, without header and line end.

        Raises
        ------
        Unreachable, BadAnswer
        """
        await self.tell(query)
        text, timeout_ms = b"", round(1000 * self._timeout_s)
        for _ in range(_MOST_PARTS):
            answer = await self._core(_READ, struct.pack(">6I", self._link, _LONGEST, timeout_ms, 0, 0, 0))
            reason, length = self._numbers(">2I", answer)
            text += answer[8 : 8 + length]
            if reason & _REASON_END:
                break
            if len(text) > _LONGEST:
                raise BadAnswer(f"{self._address.url} answered {query} with more than {_LONGEST} bytes")
        line = text.decode("ascii", errors="replace").strip()
        return line.rpartition(" ")[2] if line.startswith(":") else line

    async def close(self) -> None:
        """Destroy the link and disconnect."""
        connection = self._connection
        if connection is None:
            return
        with suppress(DeviceError):
            await self._core(_DESTROY_LINK, struct.pack(">I", self._link))
        self._connection = None
        await connection.close()

    async def _core(self, procedure: int, arguments: bytes) -> bytes:
        """Call a procedure of the core channel; return the results after the error code, which must be 0."""
        if self._connection is None:
            raise Unreachable(f"{self._address.url} is not open", code="not_open")
        answer = await self._called(self._connection, _CORE, procedure, arguments)
        (error,) = self._numbers(">I", answer)
        if error == 15:
            raise Unreachable(f"{self._address.url}: {_ERRORS[15]}", "does it support this command?")
        if error:
            raise BadAnswer(f"{self._address.url}: {_ERRORS.get(error, 'it failed')}", f"VXI-11 error {error}")
        return answer[4:]

    def _numbers(self, form: str, answer: bytes) -> tuple[int, ...]:
        """Return the numbers that an answer begins with."""
        try:
            return struct.unpack_from(form, answer)
        except struct.error:
            raise BadAnswer(f"{self._address.url}: an answer of {len(answer)} bytes is too short") from None

    async def _called(
        self, connection: Connection, program: tuple[int, int], procedure: int, arguments: bytes
    ) -> bytes:
        """Call a procedure and translate its errors; the instrument has a timeout of its own."""
        try:
            async with asyncio.timeout(2 * self._timeout_s):
                return await connection.call(program, procedure, arguments)
        except (OSError, EOFError, TimeoutError) as error:
            raise Unreachable(f"{self._address.url} did not answer: {error or 'in time'}") from None
        except (ValueError, struct.error) as error:
            raise BadAnswer(f"{self._address.url}: {error}") from None

    async def _connect(self, port: int) -> Connection:
        try:
            async with asyncio.timeout(self._timeout_s):
                return Connection(await asyncio.open_connection(self._address.host, port))
        except (OSError, TimeoutError):
            where = f"{self._address.host}:{port} refuses the connection"
            raise Unreachable(where, "check the host; does it offer VXI-11?", "no_connection") from None


def _opaque(data: bytes) -> bytes:
    """Return bytes after their length, padded to a multiple of 4."""
    return struct.pack(">I", len(data)) + data + b"\0" * (-len(data) % 4)
