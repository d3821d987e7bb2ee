"""The nodes of a rack counted on each basis, against the rack capacity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.capacity import CapacityLevel, additional_nodes
from app.domain.energy import Statistics, statistics
from app.domain.timeseries import TimeWindow, add
from app.services.capacity.rack_fit import site_margin_pct
from app.services.capacity.unlisted_loads import self_powered, unlisted_loads
from app.services.energy import RackPower
from app.store.facility import Facility, Model, Node, Rack

BASES = ("rated", "budget", "observed_max", "observed_p99", "observed_median")
_DECLARED = {"rated": "rated_w", "budget": "budget_w"}


@dataclass(frozen=True)
class BasisLoad:
    """The nodes counted on one basis [W]: one node of the model, and the whole rack.

    Attributes
    ----------
    each_w, now_w, additional: None where the basis is not declared or not measured.
    at_ms: when the highest node drew its maximum.
    """

    key: str
    each_w: float | None = None
    now_w: float | None = None
    additional: int | None = None
    at_ms: int | None = None


@dataclass(frozen=True)
class RackHeadroom:
    """The rack capacity against one more node of the model that the rack holds most of; other limits are not counted.

    Attributes
    ----------
    margins: offered margins [%] by key; `margin`: the chosen one.
    main: the observed maximum, else the first basis that has a value; None where none has.
    nodes, others: how many nodes of the model, and of other models, are in the rack.
    unlisted_w: what its PDUs carry beyond the nodes, by the observed maximum [W]; None where it is not known.
    coverage: share of the window in which every node is covered.
    """

    rack: Rack
    has_nodes: bool
    model: Model | None = None
    margins: Mapping[str, float] | None = None
    margin_pct: float = 0.0
    bases: Sequence[BasisLoad] = ()
    main: BasisLoad | None = None
    nodes: int = 0
    others: int = 0
    unlisted_w: float | None = None
    coverage: float = 0.0


@dataclass(frozen=True)
class _Kind:
    """The nodes of the model, the other nodes, the statistics of all of them, and what else the PDUs carry [W]."""

    model: Model
    nodes: Sequence[Node]
    others: Sequence[Node]
    found: Mapping[str, Statistics]
    unlisted: Mapping[str, float]


def rack_headroom(
    facility: Facility,
    rack: Rack,
    power: RackPower,
    view: TimeWindow,
    margin: str = "",
) -> RackHeadroom:
    """Return the nodes of a rack on each basis; `margin`: key of an offered one, that of the site where empty."""
    nodes, powers = facility.nodes_in(rack.key), power.nodes
    names = Counter(n.model for n in nodes if n.model in facility.models)
    if not rack.capacity_w or not names:
        return RackHeadroom(rack, bool(nodes))
    model = facility.models[str(names.most_common(1)[0][0])]
    own, others = [n for n in nodes if n.model == model.key], [n for n in nodes if n.model != model.key]
    found = {k: statistics(p.total, view.start_ms, view.end_ms) for k, p in powers.items()}
    unlisted = unlisted_loads(power, powers, view) if rack.key in self_powered(facility, [rack.key]) else {}
    kind = _Kind(model, own, others, found, unlisted)
    rated_w = _sum([_declared(facility, n, "rated_w") for n in nodes])
    margins = margins_offered(rated_w, rack.capacity_w, site_margin_pct(facility, rack))
    margin_pct = margins[margin if margin in margins else "site"]
    bases = [_basis(key, kind, facility, rack.capacity_w, margin_pct) for key in BASES]
    known = [b for b in bases if b.now_w is not None]
    main = next((b for b in known if b.key == "observed_max"), next(iter(known), None))
    if main is None or main.now_w is None or not main.each_w:
        return RackHeadroom(rack, has_nodes=True)
    together = statistics(add([p.total for p in powers.values()]), view.start_ms, view.end_ms)
    return RackHeadroom(
        rack=rack,
        has_nodes=True,
        model=model,
        margins=margins,
        margin_pct=margin_pct,
        bases=bases,
        main=main,
        nodes=len(own),
        others=len(others),
        unlisted_w=unlisted.get("max"),
        coverage=together.covered_ms / max(1, view.length_ms),
    )


def margins_offered(rated_w: float | None, usable_w: float, site_pct: float = 0.0) -> dict[str, float]:
    """Return the margins [%] by key: that of the site, the one that rated power leaves today, and round ones."""
    offered = {"site": site_pct}
    if rated_w is not None and 0 < rated_w < usable_w:
        offered["rated"] = 100.0 * (1 - rated_w / usable_w)
    return offered | {str(n): float(n) for n in (0, 10, 20) if n != site_pct}


def _declared(facility: Facility, node: Node, name: str) -> float | None:
    model = facility.model_of(node)
    watts: float | None = getattr(model, name) if model else None
    return watts


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [p for p in parts if p is not None]
    return sum(known) if len(known) == len(parts) else None


def _basis(key: str, kind: _Kind, facility: Facility, usable_w: float, margin_pct: float) -> BasisLoad:
    if name := _DECLARED.get(key):
        each: float | None = getattr(kind.model, name)
        others, at_ms = _sum([_declared(facility, n, name) for n in kind.others]), None
    else:
        each, at_ms = _highest(key, kind)
        others = _sum([_observed(key, kind.found[n.key]) for n in kind.others])
    if each is None or others is None:
        return BasisLoad(key, at_ms=at_ms)
    beyond_w = kind.unlisted.get(key.removeprefix("observed_"), 0.0)
    level = CapacityLevel("rack", "", usable_w, len(kind.nodes) * each + others + beyond_w, each)
    return BasisLoad(key, each, level.load, additional_nodes([level], margin_pct).additional_nodes, at_ms)


def _highest(key: str, kind: _Kind) -> tuple[float | None, int | None]:
    """Return what the highest node of the model drew, and when; nothing unless all of them are known."""
    own = {n.key: w for n in kind.nodes if (w := _observed(key, kind.found[n.key])) is not None}
    if len(own) < len(kind.nodes):
        return None, None
    worst = max(own, key=lambda k: own[k])
    return own[worst], kind.found[worst].max_at_ms if key == "observed_max" else None


def _observed(key: str, found: Statistics) -> float | None:
    value = {"observed_max": found.max, "observed_p99": found.p99, "observed_median": found.median}[key]
    return None if math.isnan(value) else value
