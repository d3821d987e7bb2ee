"""What proxies say about a request."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

FORWARDING = (
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port", "x-forwarded-prefix",
    "x-forwarded-proto", "x-forwarded-server", "x-real-ip",
)  # fmt: skip


def is_forwarded(headers: Headers) -> bool:
    """Return whether a proxy passed this request on, as far as it says so."""
    return any(name in headers for name in FORWARDING)


class TrustedProxies:
    """Takes client address and scheme from `X-Forwarded-For` and `-Proto` of the proxies that are listed (ASGI).

    Those headers of anyone else are ignored, so that no client can choose its own address.
    """

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        self.app: ASGIApp = ProxyHeadersMiddleware(app, list(proxies)) if proxies else app  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the client that it comes from."""
        await self.app(scope, receive, send)
