"""Limit the size of request bodies, for each route."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Message, Receive, Scope

from app.errors import TooLarge

_LARGE = (
    "/api/v1/ingest",
    "/api/v1/layouts",
    "/api/v1/polls",
    "/api/v1/events",
    "/api/v1/jobs/slurm",
    "/api/v1/facility",
    "/api/v1/sites/{site}/factors/{kind}",
    "/api/v1/sites/{site}/factors/{kind}/series.csv",
)
"""Routes that receive many things at once. What describes one thing is small."""
SMALL_BYTES = 2**20


def body_limit(route: str, max_bytes: int) -> int:
    """Return the largest body of a route in bytes, where `max_bytes` is the limit of the server."""
    return max_bytes if route in _LARGE else min(SMALL_BYTES, max_bytes)


def require_short_body(scope: Scope, max_bytes: int) -> None:
    """Raise an error if the headers announce a body beyond the limit.

    Raises
    ------
    TooLarge
    """
    announced = Headers(scope=scope).get("content-length", "")
    if announced.isdigit() and int(announced) > max_bytes:
        raise TooLarge(f"the body has {announced} bytes; this route accepts {max_bytes}", "send it in several requests")


def limited(receive: Receive, max_bytes: int) -> Receive:
    """Return a `receive` that rejects a body beyond the limit while it is read."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > max_bytes:
            raise HTTPException(413, f"the body is larger than {max_bytes} bytes")
        return message

    return counted
