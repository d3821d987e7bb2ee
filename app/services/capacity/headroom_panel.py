"""How many more nodes a rack takes, on each basis and at every level that can be told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.capacity import CapacityLevel, additional_nodes
from app.domain.energy import Statistics, statistics
from app.domain.timeseries import TimeWindow, add
from app.presentation.capacity import Basis, HeadroomAnswer, LevelRow
from app.presentation.capacity import headroom as words
from app.presentation.text import count, coverage, moment
from app.services.capacity.feeds_panel import FeedsView
from app.services.capacity.rack_levels import rack_levels
from app.services.capacity.stores import CapacityStores
from app.services.energy import NodePower
from app.store.facility import Facility, Model, Node, Rack

_LABELS = {
    "rated": "Rated",
    "budget": "Budgeted",
    "observed_max": "Observed max",
    "observed_p99": "p99",
    "observed_median": "Median",
}


@dataclass(frozen=True)
class Margin:
    """A margin one may choose."""

    value: str
    label: str


@dataclass(frozen=True)
class HeadroomPanel:
    """The headroom panel. `empty` says why there is nothing to say."""

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
    empty: Mapping[str, str] | None = None


@dataclass(frozen=True)
class _Kind:
    """The nodes of the model asked about, and everything known about their power."""

    model: Model
    nodes: Sequence[Node]
    found: Mapping[str, Statistics]
    others: Sequence[Node] = field(default=())


def rack_headroom(
    stores: CapacityStores,
    facility: Facility,
    rack: Rack,
    powers: Mapping[str, NodePower],
    view: TimeWindow,
    feeds: FeedsView,
    free_u: int,
    margin: str = "",
) -> HeadroomPanel:
    """The headroom of a rack for one more node of the model it holds most of."""
    nodes = facility.nodes_in(rack.key)
    names = Counter(n.model for n in nodes if n.model in facility.models)
    if not rack.capacity_w or not names:
        return HeadroomPanel(empty=_why(rack, bool(nodes)))
    model = facility.models[str(names.most_common(1)[0][0])]
    found = {k: statistics(p.total, view.start_ms, view.end_ms) for k, p in powers.items()}
    kind = _Kind(model, [n for n in nodes if n.model == model.key], found, [n for n in nodes if n.model != model.key])
    offered = words.margins(_sum([_rated(facility, n) for n in nodes]), rack.capacity_w)
    chosen = margin if margin in offered else next(iter(offered))
    bases = [_basis(key, kind, facility, rack.capacity_w, offered[chosen], view) for key in _LABELS]
    measured = next((b for b in bases if b.key == "observed_max" and b.now_w is not None), None)
    main = measured or next((b for b in bases if b.now_w is not None), None)
    if main is None or main.now_w is None or not main.each_w:
        return HeadroomPanel(empty=_why(rack, True))
    supply = CapacityLevel("rack", rack.key, rack.capacity_w, main.now_w, main.each_w)
    asked = [
        (supply, additional_nodes([supply], offered[chosen])),
        *rack_levels(stores, facility, rack, kind.model, kind.nodes, main.each_w, free_u, feeds),
    ]
    capacity = words.fewest([c for _, c in asked])
    return HeadroomPanel(
        title=words.title(capacity, main is measured),
        usable_w=rack.capacity_w,
        limit_w=rack.capacity_w * (1 - offered[chosen] / 100),
        margin_pct=offered[chosen],
        margins=[Margin("" if i == 0 else k, words.margin_label(k, m)) for i, (k, m) in enumerate(offered.items())],
        bases=bases,
        levels=[words.level_row(c, level) for level, c in asked],
        answer=words.answer(capacity, model.title, main.label.lower(), offered[chosen]),
        next_node=words.room_words(capacity.additional_nodes, model.title),
        note=_note(kind, powers, view),
        window=view.label,
    )


def _why(rack: Rack, has_nodes: bool) -> dict[str, str]:
    if not rack.capacity_w:
        return {"what": "No usable power is declared", "why": "capacity_w of the rack in the facility file says it."}
    if has_nodes:
        return {
            "what": "No model is declared",
            "why": "model of the nodes and rated_w of the model say what one more adds.",
        }
    return {"what": "No nodes in this rack", "why": "Headroom counts the nodes that stand here."}


def _rated(facility: Facility, node: Node) -> float | None:
    model = facility.model_of(node)
    return model.rated_w if model else None


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [p for p in parts if p is not None]
    return sum(known) if parts and len(known) == len(parts) else None


def _basis(key: str, kind: _Kind, facility: Facility, usable_w: float, margin_pct: float, view: TimeWindow) -> Basis:
    each, others, note = _power(key, kind, facility, view)
    if each is None or others is None:
        return Basis(
            key, _LABELS[key], note, None, None, None, "not declared" if key in ("rated", "budget") else "no readings"
        )
    level = CapacityLevel("rack", "", usable_w, len(kind.nodes) * each + others, each)
    n = additional_nodes([level], margin_pct).additional_nodes
    return Basis(key, _LABELS[key], note, each, level.load, n, main=key == "observed_max")


def _power(key: str, kind: _Kind, facility: Facility, view: TimeWindow) -> tuple[float | None, float | None, str]:
    """Per node of the kind, the sum of the others, and where that comes from."""
    if key in ("rated", "budget"):
        name = "rated_w" if key == "rated" else "budget_w"
        models = [facility.model_of(n) for n in kind.others]
        others = [getattr(m, name) if m else None for m in models]
        return getattr(kind.model, name), _sum(others) if others else 0.0, "nameplate" if key == "rated" else "reserved"
    values = {n.key: _observed(key, kind.found[n.key]) for n in (*kind.nodes, *kind.others)}
    own = {n.key: w for n in kind.nodes if (w := values[n.key]) is not None}
    others = [values[n.key] for n in kind.others]
    if len(own) < len(kind.nodes):
        return None, None, view.label
    worst = max(own, key=lambda k: own[k])
    at = kind.found[worst].max_at_ms
    note = moment(at, view.end_ms) if key == "observed_max" and at is not None else view.label
    return own[worst], _sum(others) if others else 0.0, note


def _observed(key: str, found: Statistics) -> float | None:
    value = {"observed_max": found.max, "observed_p99": found.p99, "observed_median": found.median}[key]
    return None if math.isnan(value) else value


def _note(kind: _Kind, powers: Mapping[str, NodePower], view: TimeWindow) -> str:
    total = add([p.total for p in powers.values()])
    share = statistics(total, view.start_ms, view.end_ms).covered_ms / max(1, view.length_ms)
    worst = "" if len(kind.nodes) < 2 else ", each counted as the highest of them"
    others = f", and {count(len(kind.others), 'other node')}" if kind.others else ""
    return (
        f"Solid: {count(len(kind.nodes), 'such node')}{worst}{others}. Outline: one more on the same basis. "
        f"Coverage {coverage(share)} of {view.label}."
    )
