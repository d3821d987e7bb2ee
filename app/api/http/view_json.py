"""View dataclasses as JSON: a timestamp `since_ms` becomes `since` in RFC 3339; NaN becomes null."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from app.domain.timeseries import rfc3339


def wire(x: Any) -> Any:  # noqa: ANN401 (any tree of dataclasses)
    """Return the JSON form. Fields that end in `_ms` are timestamps; durations end in `_s`. Figures are not changed."""
    if is_dataclass(x):
        return dict(_member(f.name, getattr(x, f.name)) for f in fields(x))
    if isinstance(x, Mapping):
        return {key: wire(value) for key, value in x.items()}
    if isinstance(x, list | tuple):
        return [wire(value) for value in x]
    return x


def _member(name: str, value: Any) -> tuple[str, Any]:  # noqa: ANN401
    if name == "figures":
        return name, value
    if name.endswith("_ms"):
        return name.removesuffix("_ms"), rfc3339(value)
    return name, wire(value)
