"""Limit the size of request bodies."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class BodyLimit:
    """Rejects bodies beyond a limit while they are read, with the usual problem response (ASGI middleware)."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self.app = app
        self.max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and count the bytes of its body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        header = Headers(scope=scope).get("content-length", "")
        announced = int(header) if header.isdigit() else 0
        brought = 0

        async def counted() -> Message:
            nonlocal brought
            message = await receive()
            brought += len(message.get("body", b""))
            if max(brought, announced) > self.max_bytes:
                raise HTTPException(413, f"the body is larger than {self.max_bytes} bytes")
            return message

        await self.app(scope, counted, send)
