"""A UDP socket connected to one agent."""

from __future__ import annotations

import asyncio
import socket
import weakref

_LARGEST = 65535


class UdpSocket:
    """A connected UDP socket.

    The event loop watches it from the first `receive` until it is closed, or until a datagram arrives while none is
    expected: starting and stopping for each request costs two system calls. It is not a datagram transport, because
    uvloop does not close while one is open.
    """

    def __init__(self, opened: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        self._socket = opened
        self._loop = loop
        self._waiter: asyncio.Future[bytes] | None = None
        self._is_watched = False
        self._release = weakref.finalize(self, _release, loop, opened)  # also for a client dropped without `close`

    @staticmethod
    async def connect(host: str, port: int) -> UdpSocket:
        """Open a socket.

        Raises
        ------
        OSError
            The name has no address, or there is no route to it.
        """
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
        family, kind, protocol, _, address = found[0]
        opened = socket.socket(family, kind, protocol)
        opened.setblocking(False)
        try:
            opened.connect(address)
        except OSError:
            opened.close()
            raise
        return UdpSocket(opened, loop)

    def close(self) -> None:
        """Close the socket."""
        self._is_watched = False
        self._release()

    def send(self, data: bytes) -> None:
        """Send a datagram; a full buffer loses it, as the network may.

        Raises
        ------
        OSError
        """
        try:
            self._socket.send(data)
        except BlockingIOError:
            return

    async def receive(self, timeout_s: float) -> bytes:
        """Return the next datagram.

        Raises
        ------
        TimeoutError
        OSError
            The port is closed, or there is no route.
        """
        waiter: asyncio.Future[bytes] = self._loop.create_future()
        self._waiter = waiter
        if not self._is_watched:
            self._loop.add_reader(self._socket, _read, weakref.ref(self))
            self._is_watched = True
        timer = self._loop.call_later(timeout_s, _time_out, waiter)
        try:
            return await waiter
        finally:
            self._waiter = None
            timer.cancel()

    def _unwatch(self) -> None:
        if self._is_watched:
            self._is_watched = False
            self._loop.remove_reader(self._socket)

    def on_readable(self) -> None:
        """Give the datagram to the call that waits; without one, leave it in the socket and stop watching."""
        waiter = self._waiter
        if waiter is None or waiter.done():
            self._unwatch()
            return
        try:
            waiter.set_result(self._socket.recv(_LARGEST))
        except BlockingIOError:  # a datagram with a wrong checksum
            return
        except OSError as error:
            waiter.set_exception(error)


def _release(loop: asyncio.AbstractEventLoop, opened: socket.socket) -> None:
    if not loop.is_closed():
        loop.remove_reader(opened)
    opened.close()


def _read(watched: weakref.ref[UdpSocket]) -> None:
    opened = watched()
    if opened is not None:
        opened.on_readable()


def _time_out(waiter: asyncio.Future[bytes]) -> None:
    if not waiter.done():
        waiter.set_exception(TimeoutError())
