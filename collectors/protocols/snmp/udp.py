"""A UDP socket connected to one agent."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
import weakref

_LARGEST = 65535


class UdpSocket:
    """A connected UDP socket.

    The event loop watches it only while `receive` waits: uvloop does not close while a datagram transport is open.
    """

    def __init__(self, opened: socket.socket) -> None:
        self._socket = opened
        weakref.finalize(self, opened.close)  # a client that is dropped without `close`

    @staticmethod
    async def connect(host: str, port: int) -> UdpSocket:
        """Open a socket.

        Raises
        ------
        OSError
            The name has no address, or there is no route to it.
        """
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        family, kind, protocol, _, address = found[0]
        opened = socket.socket(family, kind, protocol)
        opened.setblocking(False)
        try:
            opened.connect(address)
        except OSError:
            opened.close()
            raise
        return UdpSocket(opened)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def send(self, data: bytes) -> None:
        """Send a datagram; a full buffer loses it, as the network may.

        Raises
        ------
        OSError
        """
        with contextlib.suppress(BlockingIOError):
            self._socket.send(data)

    async def receive(self, timeout_s: float) -> bytes:
        """Return the next datagram.

        Raises
        ------
        TimeoutError
        OSError
            The port is closed, or there is no route.
        """
        until_s = time.monotonic() + timeout_s
        while (left_s := until_s - time.monotonic()) > 0:
            await self._wait_readable(left_s)
            with contextlib.suppress(BlockingIOError):  # nothing was received, or a datagram with a wrong checksum
                return self._socket.recv(_LARGEST)
        raise TimeoutError

    async def _wait_readable(self, timeout_s: float) -> None:
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        loop.add_reader(self._socket, wake)
        timer = loop.call_later(timeout_s, wake)
        try:
            await waiter
        finally:
            timer.cancel()
            loop.remove_reader(self._socket)
