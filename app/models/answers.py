"""How answers declare their fields: times, windows, and names that differ from the attribute's."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainSerializer, WithJsonSchema
from typing_extensions import TypedDict

from app.domain.timeseries import TimeWindow, rfc3339

_DATE_TIME = {"type": "string", "format": "date-time", "examples": ["2026-11-20T09:00:00.000Z"]}

Time = Annotated[str, WithJsonSchema(_DATE_TIME)]
"""A time that is RFC 3339 text already, in UTC."""

TimeMs = Annotated[int, PlainSerializer(rfc3339, return_type=str), WithJsonSchema(_DATE_TIME, mode="serialization")]
"""A time in milliseconds that is sent as RFC 3339 text, in UTC."""

EpochMs = Annotated[int, Field(description="milliseconds since 1970, UTC", examples=[1795168800000])]
"""A time that is sent as integer milliseconds, where many travel together."""

Share = Annotated[float, Field(description="share between 0 and 1", examples=[0.998])]


MAY_BE_OMITTED = Field(json_schema_extra={"x-may-be-omitted": True})
"""Marks a field that an answer may be without; all others are always sent, null where there is no value."""


def sent_as(name: str, description: str | None = None) -> Any:  # noqa: ANN401 (pydantic's field)
    """Return the declaration of a field that answers name differently than the code."""
    return Field(serialization_alias=name, description=description)


StretchAnswer = TypedDict("StretchAnswer", {"from": Time, "to": Time})
StretchAnswer.__doc__ = "A stretch of time: its start, and its end that is no part of it."


def stretch_answer(start_ms: int, end_ms: int) -> StretchAnswer:
    """Return a stretch of time as answers show it."""
    return {"from": str(rfc3339(start_ms)), "to": str(rfc3339(end_ms))}


def _window(window: TimeWindow) -> StretchAnswer:
    return stretch_answer(window.start_ms, window.end_ms)


Window = Annotated[TimeWindow, PlainSerializer(_window, return_type=StretchAnswer)]
"""A window that is sent as its two ends."""
