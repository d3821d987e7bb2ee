"""The headroom panel of the rack page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.presentation.capacity import headroom as text
from app.presentation.capacity.headroom import Basis, HeadroomAnswer, LevelRow
from app.presentation.charts import Empty
from app.presentation.text import count, coverage, moment
from app.services.capacity import BasisLoad, RackHeadroom

_LABELS = {
    "rated": "Rated",
    "budget": "Budgeted",
    "observed_max": "Observed max",
    "observed_p99": "p99",
    "observed_median": "Median",
}
_DECLARED = {"rated": "nameplate", "budget": "reserved"}


@dataclass(frozen=True)
class Margin:
    """A margin to choose."""

    value: str
    label: str


@dataclass(frozen=True)
class HeadroomPanel:
    """The headroom panel. `empty` says why there is no headroom to show."""

    title: str = ""
    usable_w: float | None = None
    limit_w: float | None = None
    margin_pct: float = 0.0
    margins: Sequence[Margin] = ()
    bases: Sequence[Basis] = ()
    levels: Sequence[LevelRow] = ()
    answer: HeadroomAnswer | None = None
    next_node: str | None = None
    note: str = ""
    window: str = ""
    empty: Empty | None = None


def headroom_panel(found: RackHeadroom, view: TimeWindow, *, is_partial: bool = False) -> HeadroomPanel:
    """Return the headroom panel of a rack; `is_partial`: a part of its power is missing now."""
    if found.model is None or found.main is None or found.capacity is None or not found.rack.capacity_w:
        return HeadroomPanel(empty=_why(found))
    margins = found.margins or {}
    usable_w, basis = found.rack.capacity_w, _LABELS[found.main.key].lower()
    return HeadroomPanel(
        title=text.title(found.capacity, found.main.key == "observed_max", is_partial=is_partial),
        usable_w=usable_w,
        limit_w=usable_w * (1 - found.margin_pct / 100),
        margin_pct=found.margin_pct,
        margins=[Margin("" if i == 0 else k, text.margin_label(k, pct)) for i, (k, pct) in enumerate(margins.items())],
        bases=[_basis(basis_load, view) for basis_load in found.bases],
        levels=[text.level_row(capacity, level) for level, capacity in found.levels],
        answer=text.answer(found.capacity, found.model.title, basis, found.margin_pct, is_partial=is_partial),
        next_node=None if is_partial else text.room_words(found.capacity.additional_nodes, found.model.title),
        note=_note(found, view),
        window=view.label,
    )


def _why(found: RackHeadroom) -> Empty:
    if not found.rack.capacity_w:
        return {"what": "No usable power is declared", "why": "Set capacity_w of the rack in the facility file."}
    if found.has_nodes:
        return {
            "what": "No model is declared",
            "why": "Set model of the nodes and rated_w of the model to know what one more node adds.",
        }
    return {"what": "No nodes in this rack", "why": "Headroom is computed from the nodes in the rack."}


def _basis(basis: BasisLoad, view: TimeWindow) -> Basis:
    note = _DECLARED.get(basis.key, view.label)
    if basis.at_ms is not None:
        note = moment(basis.at_ms, view.end_ms)
    absent = "" if basis.now_w is not None else "not declared" if basis.key in _DECLARED else "no readings"
    main = basis.key == "observed_max" and basis.now_w is not None
    return Basis(basis.key, _LABELS[basis.key], note, basis.each_w, basis.now_w, basis.additional, absent, main)


def _note(found: RackHeadroom, view: TimeWindow) -> str:
    worst = "" if found.nodes < 2 else ", each counted as the highest of them"
    others = f", and {count(found.others, 'other node')}" if found.others else ""
    return (
        f"Solid: {count(found.nodes, 'such node')}{worst}{others}. Outline: one more on the same basis. "
        f"Coverage {coverage(found.coverage)} of {view.label}."
    )
