"""Answers: JSON in the form that their types declare, and files with their media types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import orjson
from fastapi.responses import Response
from pydantic import TypeAdapter
from typing_extensions import TypedDict

Item = TypeVar("Item")
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


class Paged(TypedDict):
    """A part of a list. `next` is the cursor of the next part, null on the last one."""

    next: str | None


class Page(Paged, Generic[Item]):
    """A part of a list, and the cursor of the next part."""

    items: Sequence[Item]


class Json(Response):
    """JSON by orjson: numpy arrays become lists, NaN becomes null, dataclasses the form that they declare.

    The `response_model` of a route documents its answer; no answer is validated here, tests do that.
    """

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 (whatever orjson can write)
        """Serialize."""
        return orjson.dumps(content, _declared, _OPTIONS)


def _declared(thing: Any) -> Any:  # noqa: ANN401 (any dataclass)
    """Return a dataclass as JSON values, with the names and times that its fields declare."""
    type_ = type(thing)
    if type_ not in _ADAPTERS:
        _ADAPTERS[type_] = TypeAdapter(type_)
    return _ADAPTERS[type_].dump_python(thing, by_alias=True, warnings=False)


def file_answer(media_type: str, content: str, schema: dict[str, Any] | None = None) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that answers a file: its media type and what it holds, such as its columns."""
    return {
        200: {
            "description": content,
            "content": {media_type: {"schema": schema or {"type": "string", "description": content}}},
        }
    }


def csv_answer(columns: Sequence[str], note: str = "") -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that answers CSV with these columns."""
    names = ", ".join(f"`{name}`" for name in columns)
    return file_answer("text/csv", f"CSV (RFC 4180, UTF-8) with a header line. Columns: {names}.{note and ' '}{note}")
