"""A UDP proxy on 127.0.0.1 that loses, repeats, delays and damages what passes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

Fate = Callable[[int, bytes], list[tuple[float, bytes]]]
"""What becomes of the n-th datagram: the ones that go on, each after so many seconds."""


def untouched(_: int, data: bytes) -> list[tuple[float, bytes]]:
    return [(0.0, data)]


class Proxy(asyncio.DatagramProtocol):
    """Stands between one client and one server. `to_server` and `to_client` say what becomes of what passes."""

    def __init__(self, server: tuple[str, int]) -> None:
        self.to_server: Fate = untouched
        self.to_client: Fate = untouched
        self.port = 0
        self.gone = asyncio.Event()
        self._server = server
        self._client: tuple[str, int] | None = None
        self._passed = {"server": 0, "client": 0}

    @property
    def url(self) -> str:
        return f"snmp://127.0.0.1:{self.port}"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set()

    def error_received(self, exc: Exception) -> None:
        """A port that closed meanwhile."""

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        towards = "client" if addr == self._server else "server"
        if towards == "server":
            self._client = addr
        fate = self.to_client if towards == "client" else self.to_server
        target = self._client if towards == "client" else self._server
        for after, sent in fate(self._passed[towards], data):
            if after:
                asyncio.get_running_loop().call_later(after, self._send, sent, target)
            else:
                self._send(sent, target)
        self._passed[towards] += 1

    def _send(self, data: bytes, target: tuple[str, int] | None) -> None:
        if target is not None and not self._transport.is_closing():
            self._transport.sendto(data, target)


@asynccontextmanager
async def proxied(port: int) -> AsyncIterator[Proxy]:
    """A proxy to a port of 127.0.0.1."""
    transport, proxy = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: Proxy(("127.0.0.1", port)), local_addr=("127.0.0.1", 0)
    )
    proxy.port = transport.get_extra_info("sockname")[1]
    try:
        yield proxy
    finally:
        transport.close()
        await proxy.gone.wait()
