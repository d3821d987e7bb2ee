"""The sentences and rows of the headroom panel."""

from __future__ import annotations

from dataclasses import dataclass

from app.domain.capacity import Capacity, CapacityLevel
from app.presentation.text import limit_kw, num, pct

LEVEL_WORDS = {
    "rack": "Rack capacity",
    "line": "Circuits",
    "failover": "If a feed fails",
    "space": "Space",
    "outlets": "Outlets",
}


@dataclass(frozen=True)
class Basis:
    """One way to count the nodes' power [W]: one node, and all nodes of the rack.

    Attributes
    ----------
    each_w: what one more node adds; None where not known.
    absent: why there is no figure.
    """

    key: str
    label: str
    note: str
    each_w: float | None
    now_w: float | None
    additional: int | None
    absent: str = ""
    main: bool = False


@dataclass(frozen=True)
class LevelRow:
    """A limit in words, and how many more nodes it allows."""

    label: str
    text: str
    additional: int | None


@dataclass(frozen=True)
class HeadroomAnswer:
    """The answer of the panel, and its basis."""

    text: str
    basis: str
    binding: str
    fits: bool


def answer(
    capacity: Capacity, model: str, basis: str, margin_pct: float, *, is_partial: bool = False
) -> HeadroomAnswer:
    """Say how many more nodes fit, on which basis, and what binds; at most so many where a part of the rack's power is
    missing now (`is_partial`).
    """
    n = capacity.additional_nodes
    basis = f"{model}, {basis}"
    margin = f", margin {pct(margin_pct, _digits(margin_pct))}" if margin_pct else ""
    binding = "" if capacity.binding is None else f"binding: {binding_words(capacity.binding)}"
    if n is None:
        return HeadroomAnswer("No known limit", f"{basis}{margin}", "", True)
    if n == 0:
        return HeadroomAnswer("No further node fits", f"{basis}{margin}", binding, False)
    text = f"{n} more {'fits' if n == 1 else 'fit'}"
    if is_partial:
        return HeadroomAnswer(f"At most {text}", f"{basis}{margin}", binding, False)
    return HeadroomAnswer(text, f"{basis}{margin}", binding, True)


def room_words(n: int | None, model: str) -> str | None:
    """Return the text of the free space in the elevation."""
    if not n:
        return None
    return f"room for one more {model}" if n == 1 else f"room for {n} more: {model}"


def title(capacity: Capacity, measured: bool, *, is_partial: bool = False) -> str:
    """Return the panel's title."""
    how = "As measured" if measured else "By nameplate"
    how += ", at most" if is_partial and capacity.additional_nodes else ","
    n = capacity.additional_nodes
    if n is None:
        return "Headroom"
    if not n:
        return f"{how} no further node fits"
    return f"{how} {'one more node fits' if n == 1 else f'{n} more nodes fit'}"


def binding_words(level: CapacityLevel) -> str:
    """Name what binds: `rack capacity (70 kW)`."""
    words = LEVEL_WORDS.get(level.level, level.level)
    name = words[0].lower() + words[1:]
    if level.level == "rack":
        return f"{name} ({limit_kw(level.limit)})"
    return name if level.level in ("space", "outlets") else f"{name} ({level.key})"


def level_row(capacity: Capacity, level: CapacityLevel) -> LevelRow:
    """Return the row of a limit: its load, and how many more nodes it allows."""
    return count_row(capacity, level) if level.unit in ("U", "outlets") else power_row(capacity, level)


def power_row(capacity: Capacity, level: CapacityLevel) -> LevelRow:
    """Return the row of a limit in W or A: its load and the limit."""
    if level.unit == "W":
        text = f"{num(level.load / 1000, 1)} of {num(level.limit / 1000, 1)}\u2009kW"
    else:
        text = f"{level.key}: {num(level.load, 1)} of {num(level.limit, 1)}\u2009{level.unit}"
    return LevelRow(LEVEL_WORDS.get(level.level, level.level), text, capacity.additional_nodes)


def count_row(capacity: Capacity, level: CapacityLevel) -> LevelRow:
    """Return the row of a counted limit: what is free, and what a node takes."""
    free, each = num(level.limit - level.load), num(level.per_node)
    text = (
        f"{free}U free in one piece, a node takes {each}U" if level.unit == "U" else f"{free} free, a node takes {each}"
    )
    return LevelRow(LEVEL_WORDS.get(level.level, level.level), text, capacity.additional_nodes)


def margin_label(key: str, margin_pct: float) -> str:
    """Return the label of a margin on its button."""
    return f"as rated, {pct(margin_pct, 1)}" if key == "rated" else pct(margin_pct)


def _digits(margin_pct: float) -> int:
    return 0 if float(margin_pct).is_integer() else 1
