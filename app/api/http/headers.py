"""Headers of every response."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Only Plotly's style rules are inline, and nothing is loaded from other hosts.
_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
_DAY_S = 86_400


def security_headers(scheme: str, hsts_days: int) -> dict[str, str]:
    """Return the content security policy and related headers; HSTS where the request came by TLS."""
    headers = {
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
    }
    if hsts_days and scheme == "https":
        headers["Strict-Transport-Security"] = f"max-age={hsts_days * _DAY_S}"
    return headers


class SecurityHeaders:
    """Adds the security headers to every response (ASGI middleware)."""

    def __init__(self, app: ASGIApp, hsts_days: int = 0) -> None:
        self.app = app
        self.hsts_days = hsts_days

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and add the headers to its response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in security_headers(scope["scheme"], self.hsts_days).items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers)
