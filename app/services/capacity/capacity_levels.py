"""The limits of a rack and how many more nodes each allows: rack capacity, PDUs, lines, failover, space, outlets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.capacity import CapacityLevel, Carried, Pdu, suppose
from app.domain.facility import Spare, nodes_that_fit
from app.services.capacity.capacity_loads import CapacityLoads
from app.services.capacity.rack_levels import outlets_level, outlets_of, space_level
from app.services.capacity.rack_space import free_space
from app.store.facility import Model, Node, Rack

LEVELS = ("rack", "pdu", "line", "failover", "space", "outlets")


@dataclass(frozen=True)
class EvaluatedLevel:
    """A limit and how many more nodes it allows; None where a node adds nothing. `margin_pct`: kept in reserve."""

    level: CapacityLevel
    additional: int | None
    margin_pct: float = 0.0


Reason = Literal[
    "no_capacity", "no_power", "one_feed", "no_feed", "no_height", "no_outlets", "no_cords", "no_load", "no_increment"
]


@dataclass(frozen=True)
class Unknown:
    """Why a level cannot be evaluated; `keys`: the nodes or PDUs that are not known."""

    reason: Reason
    keys: Sequence[str] = ()


@dataclass(frozen=True)
class NotEvaluated:
    """A level that cannot be evaluated, and why."""

    level: str
    why: Unknown


@dataclass(frozen=True)
class Question:
    """One more node of `model`, which draws `each_w` and has cords like `nodes`, those of its model in the rack."""

    loads: CapacityLoads
    rack: Rack
    model: Model
    nodes: Sequence[Node]
    each_w: float
    margin_pct: float

    @property
    def need(self) -> Mapping[str, int]:
        """Return by feed on how many of its PDUs a node has a cord."""
        facility, need = self.loads.facility, dict[str, int]()
        for node in self.nodes:
            devices = {feed.device for feed in facility.powering(node.key)} & set(self.loads.circuits)
            used = Counter(facility.devices[key].feed or "" for key in devices)
            need |= {feed: max(n, need.get(feed, 0)) for feed, n in used.items()}
        return need

    def pdus(self, feed: str) -> list[str]:
        """Return the PDUs of a feed for this rack that have a circuit."""
        devices = self.loads.facility.devices
        found = self.loads.devices_in(self.rack.key)
        return [key for key in found if key in self.loads.circuits and (devices[key].feed or "") == feed]


def evaluate_levels(question: Question, levels: Sequence[str]) -> tuple[list[EvaluatedLevel], list[NotEvaluated]]:
    """Return the levels that can be evaluated, and those that cannot."""
    evaluated, not_evaluated = [], []
    for name in dict.fromkeys(levels):
        found = _LEVELS[name](question)
        if isinstance(found, Unknown):
            not_evaluated.append(NotEvaluated(name, found))
        else:
            evaluated.append(found)
    return evaluated, not_evaluated


def _rack(q: Question) -> EvaluatedLevel | Unknown:
    """Evaluate the rack capacity: nodes of the model count as the highest of them, the others as they are."""
    if q.rack.capacity_w is None:
        return Unknown("no_capacity")
    same = {node.key for node in q.nodes}
    others = {n.key: q.loads.node_w[n.key] for n in q.loads.facility.nodes_in(q.rack.key) if n.key not in same}
    unknown = [k for k, w in {**others, **{k: q.loads.node_w[k] for k in same}}.items() if w is None]
    if unknown:
        return Unknown("no_power", sorted(unknown))
    load = len(same) * q.each_w + math.fsum(w for w in others.values() if w is not None)
    level = CapacityLevel("rack", q.rack.key, q.rack.capacity_w, load, q.each_w)
    return EvaluatedLevel(level, level.room(q.margin_pct), q.margin_pct)


def _pdu(q: Question) -> EvaluatedLevel | Unknown:
    """Evaluate the apparent power of each PDU against its breaker."""
    loads = {key: q.loads.figure(pdu.power) / q.loads.factors[key] for key, pdu in q.loads.pdus.items()}
    limits = {key: circuit.limit_va for key, circuit in q.loads.circuits.items()}
    each = q.each_w / max(1, sum(q.need.values()))
    per_node = max((each / q.loads.factors[key] for feed in q.need for key in q.pdus(feed)), default=math.nan)
    return _fitted("pdu", q, q.need, loads, limits, per_node, "VA")


def _line(q: Question) -> EvaluatedLevel | Unknown:
    """Evaluate the most loaded line of each PDU against breaker × derating."""
    loads = {key: _most_loaded(q, pdu) for key, pdu in q.loads.pdus.items()}
    return _fitted("line", q, q.need, loads, _limits_a(q), _per_line_a(q, q.need), "A")


def _failover(q: Question) -> EvaluatedLevel | Unknown:
    """Evaluate the most loaded line of each remaining PDU when a feed fails; the new nodes load these too."""
    if len(q.need) < 2:
        return Unknown("one_feed")
    worst: EvaluatedLevel | None = None
    for failed in q.need:
        found = suppose(list(q.loads.pdus.values()), q.loads.loads, failed=set(q.pdus(failed)))
        need = {feed: n for feed, n in q.need.items() if feed != failed}
        loads = {key: _most_loaded(q, carried) for key, carried in found.pdus.items()}
        one = _fitted("failover", q, need, loads, _limits_a(q), _per_line_a(q, need), "A")
        if isinstance(one, Unknown):
            return one
        if worst is None or (one.additional or 0) < (worst.additional or 0):
            worst = one
    return worst or Unknown("no_feed")


def _space(q: Question) -> EvaluatedLevel | Unknown:
    empty = not q.loads.facility.nodes_in(q.rack.key)
    pieces = [stretch.high for stretch in free_space(q.loads.facility, q.rack)]
    free = (q.rack.height_u or 0) if empty else max(pieces, default=0)
    found = space_level(q.rack, q.model, q.nodes, free)
    if found is None:
        return Unknown("no_height")
    return EvaluatedLevel(found[0], found[1].additional_nodes)


def _outlets(q: Question) -> EvaluatedLevel | Unknown:
    outlets = outlets_of(q.loads.facility, q.rack.key, q.loads.series)
    found = outlets_level(q.loads.facility, q.rack, q.nodes, outlets)
    if found is None:
        return Unknown("no_outlets")
    return EvaluatedLevel(found[0], found[1].additional_nodes)


def _most_loaded(q: Question, pdu: Pdu | Carried) -> float:
    tops = [q.loads.figure(line) for line in pdu.lines.values()]
    return max((a for a in tops if not math.isnan(a)), default=math.nan)


def _limits_a(q: Question) -> dict[str, float]:
    return {key: circuit.limit_a for key, circuit in q.loads.circuits.items()}


def _per_line_a(q: Question, need: Mapping[str, int]) -> float:
    each = q.each_w / max(1, sum(need.values()))
    return max((each * q.loads.pdus[key].amps_per_watt for feed in need for key in q.pdus(feed)), default=math.nan)


def _fitted(
    name: str,
    q: Question,
    need: Mapping[str, int],
    loads: Mapping[str, float],
    limits: Mapping[str, float],
    per_node: float,
    unit: str,
) -> EvaluatedLevel | Unknown:
    """Return how many nodes fit when each goes where there is most room; every circuit keeps the margin."""
    if not need:
        return Unknown("no_cords")
    keys = [key for feed in need for key in q.pdus(feed)]
    if unknown := [key for key in keys if math.isnan(loads.get(key, math.nan))]:
        return Unknown("no_load", unknown)
    if math.isnan(per_node) or per_node <= 0:
        return Unknown("no_increment")
    kept = 1.0 - q.margin_pct / 100.0
    spares = {feed: [Spare(key, loads[key], limits[key] * kept) for key in q.pdus(feed)] for feed in need}
    tightest = max((spare for of_feed in spares.values() for spare in of_feed), key=lambda s: s.share)
    level = CapacityLevel(name, tightest.key, limits[tightest.key], tightest.load, per_node, unit)
    return EvaluatedLevel(level, nodes_that_fit(spares, need, per_node), q.margin_pct)


_LEVELS: Mapping[str, Callable[[Question], EvaluatedLevel | Unknown]] = {
    "rack": _rack,
    "pdu": _pdu,
    "line": _line,
    "failover": _failover,
    "space": _space,
    "outlets": _outlets,
}
