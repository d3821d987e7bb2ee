"""A real HTTP/1.1 server on 127.0.0.1 whose answers a test decides, request by request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self):
        return json.loads(self.body)


Answer = tuple[int, object]


@dataclass
class Responder:
    """`answer` maps a request to (status, JSON value or text); every request is kept."""

    answer: Callable[[Request], Answer]
    requests: list[Request] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def asked(self, path: str) -> list[Request]:
        return [request for request in self.requests if request.path == path]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await self._read(reader):
                self.requests.append(request)
                status, value = self.answer(request)
                body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
                writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Request | None:
        """Return the next request, or None if the client closed the connection, also within a request."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
            method, path, _ = first.split(" ")
            return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))
        except asyncio.IncompleteReadError:
            return None


@asynccontextmanager
async def responding(answer: Callable[[Request], Answer]):
    """A responder on an ephemeral port."""
    responder = Responder(answer)
    server = await asyncio.start_server(responder.handle, "127.0.0.1", 0)
    responder.port = server.sockets[0].getsockname()[1]
    try:
        yield responder
    finally:
        server.close()
