"""One pydantic adapter for all applications of a worker, for each type of a parameter or an answer.

FastAPI makes those of a route when an application uses it first. Each test has an application of its own, so that this
took two fifths of the CPU time of the tests of the API.
"""

from __future__ import annotations

from typing import Any

from fastapi._compat import v2
from pydantic import TypeAdapter

_adapters: dict[str, TypeAdapter[Any]] = {}


def adapter(annotated: Any, config: Any = None) -> TypeAdapter[Any]:
    """Return the adapter of a type; types of a test itself are not shared."""
    key = f"{annotated!r} {config!r}"
    if "<locals>" in key:
        return TypeAdapter(annotated, config=config)
    if key not in _adapters:
        _adapters[key] = TypeAdapter(annotated, config=config)
    return _adapters[key]


def share() -> None:
    """Let FastAPI take shared adapters."""
    v2.TypeAdapter = adapter  # type: ignore[assignment, misc]
