"""Answer without a body: 304 to `If-None-Match`, and HEAD."""

from __future__ import annotations

import re

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_DISCONNECT: Message = {"type": "http.disconnect"}
_TAG = re.compile(r'(?:W/)?("[^"]*")')
_CONTENT = frozenset({b"content-length", b"content-type", b"content-encoding"})


class ConditionalGet:
    """Answers 304 without a body where the client has the current version of what it asks for (ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and replace its answer if the ETag is one that the client has."""
        asked = Headers(scope=scope).getlist("if-none-match") if scope["type"] == "http" else []
        if not asked or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, send)
            return
        unchanged = False

        async def answer(message: Message) -> None:
            nonlocal unchanged
            if message["type"] == "http.response.start" and message["status"] == 200:
                unchanged = matches(", ".join(asked), Headers(raw=message["headers"]).get("etag"))
                if unchanged:
                    kept = [pair for pair in message["headers"] if pair[0].lower() not in _CONTENT]
                    message = {**message, "status": 304, "headers": kept}
            elif unchanged and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app(scope, receive, answer)


class Head:
    """Answers HEAD as GET without the body (RFC 9110, 9.3.2; ASGI middleware)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass HEAD on as GET, and end its answer, which may be a stream, after the headers."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        started = False

        async def ask() -> Message:
            return _DISCONNECT if started else await receive()

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                started = True

        await self.app({**scope, "method": "GET"}, ask, answer)


def matches(asked: str, etag: str | None) -> bool:
    """Return whether `If-None-Match` names this ETag: `*`, or a tag that is the same by weak comparison (RFC 9110)."""
    if etag is None:
        return False
    return asked.strip() == "*" or etag.removeprefix("W/") in _TAG.findall(asked)
