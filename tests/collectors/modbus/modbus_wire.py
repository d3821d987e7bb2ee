"""A Modbus TCP gateway whose every answer a test decides, byte by byte."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple


class Request(NamedTuple):
    transaction: int
    unit: int
    function: int
    start: int
    count: int

    def answer(self, words: list[int], transaction: int | None = None, unit: int | None = None) -> bytes:
        body = struct.pack(f">BBB{len(words)}H", self._unit(unit), self.function, 2 * len(words), *words)
        return self._framed(body, transaction)

    def exception(self, code: int) -> bytes:
        return self._framed(struct.pack(">BBB", self.unit, self.function | 0x80, code))

    def _framed(self, body: bytes, transaction: int | None = None) -> bytes:
        number = self.transaction if transaction is None else transaction
        return struct.pack(">HHH", number, 0, len(body)) + body

    def _unit(self, unit: int | None) -> int:
        return self.unit if unit is None else unit


Script = Callable[[Request], Awaitable[bytes | None]]


class Gateway:
    """Counts connections and requests; `script` answers one request, b"" is silence, None hangs up."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.connections = 0
        self.requests: list[Request] = []
        self.url = ""

    def unit(self, number: int) -> str:
        return f"{self.url}?unit={number}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while (request := await self.hear(reader)) is not None:
            self.requests.append(request)
            answer = await self.script(request)
            if answer is None:
                break
            writer.write(answer)

    async def hear(self, reader: asyncio.StreamReader) -> Request | None:
        try:
            transaction, _, length = struct.unpack(">HHH", await reader.readexactly(6))
            return Request(transaction, *struct.unpack(">BBHH", await reader.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def tcp_server(serve: Serve):
    """A server whose connections are all closed at the end; yields its port."""
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        try:
            await serve(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()
            await asyncio.gather(writer.wait_closed(), return_exceptions=True)

    server = await asyncio.start_server(connection, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@asynccontextmanager
async def gateway(script: Script):
    served = Gateway(script)
    async with tcp_server(served.serve) as port:
        served.url = f"modbus://127.0.0.1:{port}"
        yield served
