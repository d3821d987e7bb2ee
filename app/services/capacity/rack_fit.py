"""How many more nodes of a model fit into a rack, on one basis, and what binds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.capacity import CapacityLevel
from app.domain.timeseries import TimeWindow
from app.errors import Invalid, NotFound
from app.models import Window
from app.services.capacity.capacity_levels import (
    LEVELS,
    EvaluatedLevel,
    NotEvaluated,
    Question,
    evaluate_levels,
    question,
)
from app.services.capacity.capacity_loads import (
    DECLARED,
    BasisName,
    CapacityLoads,
    model_watts,
    observed_watts,
    read_capacity_loads,
)
from app.services.capacity.stores import CapacityStores
from app.store.facility import Facility, Model, Rack


@dataclass(frozen=True)
class Binding:
    """What limits the number."""

    level: str
    key: str


@dataclass(frozen=True)
class RackLoads:
    """The binding level (the rack capacity where nothing binds) with a number of nodes of the model."""

    nodes: int
    load: float
    limit: float
    unit: str
    margin_pct: float


@dataclass(frozen=True)
class LevelFit:
    """One limit: its load, what one more node adds, and how many more nodes it allows by itself.

    Attributes
    ----------
    stranded: what remains of it, below the margin, after adding as many nodes as fit. nodes_only: the load is that
        of nodes alone; what else the PDUs of the rack carry is not known on this basis.
    """

    level: str
    key: str
    unit: str
    limit: float
    load: float
    per_node: float
    additional_nodes: int | None
    margin_pct: float
    stranded: float
    nodes_only: bool = False


@dataclass(frozen=True)
class RackFit:
    """How many more nodes fit. `additional_nodes` is None where no evaluated level limits the number.

    Attributes
    ----------
    each_w: what one more node counts for. nodes: how many of the model are in the rack.
    """

    rack: str
    rack_label: str
    model: str
    model_label: str
    basis: BasisName
    margin_pct: float
    window: Window
    each_w: float
    nodes: int
    additional_nodes: int | None
    binding: Binding | None
    now: RackLoads | None
    then: RackLoads | None
    levels: Sequence[LevelFit]


@dataclass(frozen=True)
class RackCapacity(RackFit):
    """How many more nodes fit, and the levels that cannot be evaluated."""

    not_evaluated: Sequence[NotEvaluated]


def rack_capacity(
    stores: CapacityStores,
    key: str,
    view: TimeWindow,
    basis: BasisName = "observed_max",
    margin_pct: float | None = None,
    model: str | None = None,
    levels: Sequence[str] = LEVELS,
) -> RackCapacity:
    """Return how many more nodes fit into a rack, and which level binds; with the margin of its site unless given.

    Raises
    ------
    NotFound
        There is no such rack or model.
    Invalid
        A level does not exist, or the power of one more node is not known.
    """
    facility = stores.facility.at(view.end_ms)
    rack = facility.racks.get(key)
    if rack is None:
        raise NotFound(f"there is no rack {key!r}", "GET /api/v1/racks lists them")
    if unknown := [level for level in levels if level not in LEVELS]:
        raise Invalid(f"there is no level {unknown[0]!r}", f"one of {', '.join(LEVELS)}", code="bad_level")
    kind = model_for(facility, rack, model)
    loads = read_capacity_loads(stores, [key], basis, view, [kind.key])
    margin_pct = site_margin_pct(facility, rack) if margin_pct is None else margin_pct
    return fit(question(loads, rack, kind, each_watts(loads, kind), margin_pct), levels)


def site_margin_pct(facility: Facility, rack: Rack) -> float:
    """Return the margin declared for the site of a rack [%]; 0 where none is."""
    site = facility.sites.get(rack.site) if rack.site else None
    return (site.margin_pct if site else None) or 0.0


def fit(asked: Question, levels: Sequence[str] = LEVELS) -> RackCapacity:
    """Return how many more nodes fit: the one answer of rack page, capacity page and what-if."""
    evaluated, not_evaluated = evaluate_levels(asked, levels)
    limiting = [one for one in evaluated if one.additional is not None]
    binding = min(limiting, key=_order, default=None)
    n = binding.additional if binding else None
    about = binding or next(iter(evaluated), None)
    return RackCapacity(
        rack=asked.rack.key,
        rack_label=asked.rack.title,
        model=asked.model.key,
        model_label=asked.model.title,
        basis=asked.loads.basis,
        margin_pct=asked.margin_pct,
        window=asked.loads.view,
        each_w=asked.each_w,
        nodes=len(asked.nodes),
        additional_nodes=n,
        binding=Binding(binding.level.level, binding.level.key) if binding else None,
        now=_loads_with(about.level, len(asked.nodes), 0) if about else None,
        then=_loads_with(about.level, len(asked.nodes), n or 0) if about else None,
        levels=[_fit(one, n or 0) for one in evaluated],
        not_evaluated=not_evaluated,
    )


def _order(one: EvaluatedLevel) -> tuple[int, float]:
    n = one.additional or 0
    return n, one.level.margin_pct(n)


def _loads_with(level: CapacityLevel, nodes: int, more: int) -> RackLoads:
    return RackLoads(nodes + more, level.load_with(more), level.limit, level.unit, level.margin_pct(more))


def _fit(one: EvaluatedLevel, n: int) -> LevelFit:
    level = one.level
    left = max(0.0, level.limit * (1.0 - one.margin_pct / 100.0) - level.load_with(n))
    return LevelFit(
        level.level, level.key, level.unit, level.limit, level.load, level.per_node, one.additional,
        level.margin_pct(), left, one.nodes_only,
    )  # fmt: skip


def model_for(facility: Facility, rack: Rack, asked: str | None = None) -> Model:
    """Return the requested model, or the one the rack holds most of."""
    if asked is not None:
        if asked not in facility.models:
            raise NotFound(f"there is no model {asked!r}", "GET /api/v1/models lists them")
        return facility.models[asked]
    names = Counter(n.model for n in facility.nodes_in(rack.key) if n.model in facility.models)
    if not names:
        raise Invalid(f"rack {rack.key!r} holds no node of a known model", "add ?model=…", code="no_model")
    return facility.models[str(names.most_common(1)[0][0])]


def each_watts(loads: CapacityLoads, kind: Model) -> float:
    """Return what one more node counts for [W]: declared, or the highest of its kind here; of other racks, where none
    is here.
    """
    if loads.basis in DECLARED:
        watts = model_watts(kind, loads.basis)
        if watts is None:
            raise Invalid(f"model {kind.key!r} has no budget_w", "declare it, or use another basis", code="no_basis")
        return watts
    kin = [n.key for n in loads.facility.nodes.values() if n.model == kind.key]
    here = [w for key in kin if (w := loads.node_w.get(key)) is not None]
    elsewhere = [observed_watts(loads.elsewhere[key], loads.basis, loads.view) for key in kin if key in loads.elsewhere]
    known = here or [w for w in elsewhere if w is not None]
    if not known:
        wrong = f"no node of model {kind.key!r} was measured in this window"
        raise Invalid(wrong, "use basis=rated, or another window", code="no_basis")
    return max(known)
