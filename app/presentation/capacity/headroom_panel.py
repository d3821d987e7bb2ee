"""The nodes of a rack on each basis against its capacity, on the rack page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.timeseries import TimeWindow
from app.presentation.charts import Empty
from app.presentation.text import count, coverage, kw, moment, pct
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
class Basis:
    """One way to count the nodes' power [W]: one node, and all nodes of the rack.

    Attributes
    ----------
    each_w: what one more node adds; None where not known.
    additional: how many more nodes the rack capacity alone allows.
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
class Margin:
    """A margin to choose."""

    value: str
    label: str


@dataclass(frozen=True)
class HeadroomPanel:
    """The rack capacity on each basis; how much fits is an answer of its own. `empty` says why there is none."""

    usable_w: float | None = None
    limit_w: float | None = None
    margin_pct: float = 0.0
    margins: Sequence[Margin] = ()
    bases: Sequence[Basis] = ()
    note: str = ""
    window: str = ""
    empty: Empty | None = None


def headroom_panel(found: RackHeadroom, view: TimeWindow) -> HeadroomPanel:
    """Return the rack capacity on each basis."""
    if found.model is None or found.main is None or not found.rack.capacity_w:
        return HeadroomPanel(empty=_why(found))
    usable_w = found.rack.capacity_w
    return HeadroomPanel(
        usable_w=usable_w,
        limit_w=usable_w * (1 - found.margin_pct / 100),
        margin_pct=found.margin_pct,
        margins=[Margin("" if k == "site" else k, margin_label(k, pct)) for k, pct in (found.margins or {}).items()],
        bases=[_basis(basis_load, view) for basis_load in found.bases],
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
    if found.unlisted_w:
        others += f", and what the PDUs measure beyond the nodes: {kw(found.unlisted_w)} by the observed maximum"
    without = " Loads beside the nodes are not known." if found.unlisted_w is None else ""
    return (
        f"Solid: {count(found.nodes, 'such node')}{worst}{others}. Outline: one more on the same basis.{without} "
        f"Coverage {coverage(found.coverage)} of {view.label}."
    )


def margin_label(key: str, margin_pct: float) -> str:
    """Return the label of a margin on its button."""
    share = pct(margin_pct, 0 if float(margin_pct).is_integer() else 1)
    return {"site": f"site, {share}", "rated": f"as rated, {share}"}.get(key, share)
