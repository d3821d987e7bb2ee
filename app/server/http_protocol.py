"""HTTP connections that end if their client is slow, and a limit of their number."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.api.gate import CONNECTION
from app.settings import Settings

HEADER_S = 10.0
BODY_S = 30.0
SLOWEST_BODY_BYTES_PER_S = 16 * 1024
STALLED_S = 120.0
MAX_HEADER_BYTES = 64 * 1024


def _plain_answer(status: bytes, text: bytes, headers: bytes = b"") -> bytes:
    """Return an answer that is written before a request is complete."""
    return (
        b"HTTP/1.1 %b\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
        b"x-content-type-options: nosniff\r\ncontent-security-policy: default-src 'none'\r\n"
        b"%bcontent-length: %d\r\n\r\n%b" % (status, headers, len(text), text)
    )


_REFUSED = _plain_answer(b"503 Service Unavailable", b"too many connections", b"retry-after: 5\r\n")
_TOO_LARGE = _plain_answer(b"431 Request Header Fields Too Large", b"the headers are larger than 64 KiB")
_BAD_REQUEST = _plain_answer(b"400 Bad Request", b"this is not an HTTP request")


class HttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which waits forever for headers, bodies and readers, with deadlines.

    Full headers have to arrive within 10 s of the start of the connection or of the request, in 64 KiB: the parser
    copies an unfinished header with each piece of it, which blocked every other request. A body has to arrive within
    30 s plus 1 s for each 16 KiB of it, whether the request is accepted or not. A client that takes nothing of an
    answer for 120 s is disconnected. uvicorn itself closes idle connections.
    """

    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _since_s = 0.0
    _patience_s = 0.0
    _body_bytes = 0
    _unused_bytes = 0
    """Received since the last headers or piece of a body were complete."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the deadline of the headers; close a connection beyond the limit."""
        super().connection_made(transport)
        self.app_state: dict[str, Any] = {**self.app_state, CONNECTION: {}}
        settings: Settings = self.config.app.state.stores.settings  # type: ignore[union-attr]
        if len(self.connections) > settings.max_connections:
            transport.write(_REFUSED)
            transport.close()
            return
        self._wait(HEADER_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines."""
        self._stop_waiting()
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass data on; empty lines between requests do not keep a connection open, nor do endless headers."""
        self._unused_bytes += len(data)
        super().data_received(data)
        is_idle = self.cycle is None or self.cycle.response_complete
        if self._unused_bytes > MAX_HEADER_BYTES and not self.transport.is_closing():
            if is_idle:
                self.transport.write(_TOO_LARGE)
            self.transport.close()
            return
        if is_idle and self._deadline is None and self.timeout_keep_alive_task is None:
            self._wait(HEADER_S)

    def on_message_begin(self) -> None:
        """Start the deadline of the next request's headers."""
        super().on_message_begin()
        if self._deadline is None:
            self._wait(HEADER_S)

    def on_headers_complete(self) -> None:
        """Start the deadline of the body."""
        self._unused_bytes = 0
        self._wait(BODY_S)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Extend the deadline by what has arrived."""
        self._unused_bytes = 0
        self._body_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the deadline: the request is complete."""
        self._unused_bytes = 0
        self._stop_waiting()
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, with the headers of every error."""
        self.transport.write(_BAD_REQUEST)
        self.transport.close()

    def pause_writing(self) -> None:
        """Start the deadline of a client that does not read."""
        super().pause_writing()
        self._stalled = self._stalled or self.loop.call_later(STALLED_S, self._close)

    def resume_writing(self) -> None:
        """Stop that deadline."""
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None
        if self.flow is not None:
            super().resume_writing()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._since_s, self._patience_s, self._body_bytes = self.loop.time(), seconds, 0
        self._deadline = self.loop.call_later(seconds, self._check)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _check(self) -> None:
        allowed_s = self._patience_s + self._body_bytes / SLOWEST_BODY_BYTES_PER_S
        left_s = self._since_s + allowed_s - self.loop.time()
        if left_s > 0:
            self._deadline = self.loop.call_later(left_s, self._check)
        else:
            self._deadline = None
            self._close()

    def _close(self) -> None:
        self._stalled = None
        if not self.transport.is_closing():
            self.transport.abort()
