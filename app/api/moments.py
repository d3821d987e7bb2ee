"""Moments in requests: RFC 3339 or integer milliseconds, as integer milliseconds UTC."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BeforeValidator


def moment_ms(text: object) -> int:
    """Milliseconds since the epoch of `2026-11-20T09:00:00Z`, or of a number already in them.

    Raises
    ------
    ValueError
        Neither of them, or a time without a zone.
    """
    if isinstance(text, int) or (isinstance(text, str) and text.lstrip("-").isdigit()):
        return int(text)
    when = datetime.fromisoformat(str(text).replace(" ", "+"))
    if when.tzinfo is None:
        raise ValueError("a time needs its zone: end it with Z")
    return round(when.astimezone(UTC).timestamp() * 1000)


Moment = Annotated[int, BeforeValidator(moment_ms)]
