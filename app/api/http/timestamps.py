"""Timestamps in requests: RFC 3339 or integer milliseconds, read as integer milliseconds UTC."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from app.domain.timeseries import moment_ms

_PLUS = re.compile(r" (?=\d{2}:\d{2}$)")


def _from_request(given: object) -> int:
    """Return `moment_ms` of a value; in a query string milliseconds are text, and an unescaped `+` is a blank."""
    if isinstance(given, str):
        return moment_ms(int(given)) if given.isdigit() else moment_ms(_PLUS.sub("+", given))
    return moment_ms(given)


Moment = Annotated[
    int,
    BeforeValidator(_from_request),
    WithJsonSchema(
        {
            "anyOf": [{"type": "string", "format": "date-time"}, {"type": "integer"}],
            "description": "RFC 3339 with an offset, or integer milliseconds UTC",
            "examples": ["2026-11-20T09:00:00Z"],
        },
        mode="validation",
    ),
]
