"""What proxies say about a request."""

from __future__ import annotations

import ipaddress
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


PEER = "wattline.peer"
"""Address of the other end of the connection, whatever a proxy says of its client; in the scope of a request."""


def is_listed(peer: str, networks: Sequence[str]) -> bool:
    """Return whether an address is one of these addresses and networks."""
    try:
        address = ipaddress.ip_address(peer)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if address.version == 6 else None
    return any((mapped or address) in ipaddress.ip_network(network) for network in networks)


class TrustedProxies:
    """Takes client address and scheme from `X-Forwarded-For` and `-Proto` of the proxies that are listed (ASGI).

    Those headers of anyone else are ignored, so that no client can choose its own address.
    """

    def __init__(self, app: ASGIApp, proxies: Sequence[str]) -> None:
        self.app: ASGIApp = ProxyHeadersMiddleware(app, list(proxies)) if proxies else app  # type: ignore[arg-type, assignment]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with the client that it comes from."""
        if scope["type"] == "http":
            scope[PEER] = scope["client"][0] if scope.get("client") else ""
        await self.app(scope, receive, send)
