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
from app.services.capacity.rack_outlets import RackOutlet, cords_by_feed, matching, nodes_alike, outlets_on
from app.services.capacity.rack_space import pieces_u
from app.store.facility import Model, Node, Rack

LEVELS = ("rack", "pdu", "line", "failover", "space", "outlets")


@dataclass(frozen=True)
class EvaluatedLevel:
    """A limit and how many more nodes it allows; None where a node adds nothing.

    Attributes
    ----------
    margin_pct: kept in reserve. nodes_only: the load is that of nodes; what else is there is not known.
    """

    level: CapacityLevel
    additional: int | None
    margin_pct: float = 0.0
    nodes_only: bool = False


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
    """One more node of `model`, which draws `each_w`.

    Attributes
    ----------
    nodes: those of the model in the rack. alike: nodes whose cords a new one copies, of other racks where
        none is here.
    """

    loads: CapacityLoads
    rack: Rack
    model: Model
    nodes: Sequence[Node]
    alike: Sequence[Node]
    each_w: float
    margin_pct: float

    @property
    def need(self) -> Mapping[str, int]:
        """Return by feed on how many PDUs with a circuit here a node has a cord."""
        facility, need = self.loads.facility, dict[str, int]()
        for node in self.alike:
            devices = {cord.device for cord in facility.powering(node.key) if self._counts(cord.device)}
            used = Counter(facility.devices[key].feed or "" for key in devices)
            need |= {feed: max(n, need.get(feed, 0)) for feed, n in used.items() if self.pdus(feed)}
        return need

    def _counts(self, device: str) -> bool:
        """Return whether a PDU has a circuit; one of another rack is assumed to."""
        if device in self.loads.pdus:
            return device in self.loads.circuits
        return device in self.loads.facility.devices

    def pdus(self, feed: str) -> list[str]:
        """Return the PDUs of a feed for this rack that have a circuit."""
        devices = self.loads.facility.devices
        found = self.loads.devices_in(self.rack.key)
        return [key for key in found if key in self.loads.circuits and (devices[key].feed or "") == feed]


def question(loads: CapacityLoads, rack: Rack, model: Model, each_w: float, margin_pct: float) -> Question:
    """Return the question how many more nodes of a model fit into a rack."""
    here = [node for node in loads.facility.nodes_in(rack.key) if node.model == model.key]
    return Question(loads, rack, model, here, nodes_alike(loads.facility, rack.key, model), each_w, margin_pct)


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
    """Evaluate the rack capacity: nodes of the model count as the highest of them, all other loads as they are."""
    if q.rack.capacity_w is None:
        return Unknown("no_capacity")
    same = {node.key for node in q.nodes}
    others = {n.key: q.loads.node_w[n.key] for n in q.loads.facility.nodes_in(q.rack.key) if n.key not in same}
    unknown = [k for k, w in {**others, **{k: q.loads.node_w[k] for k in same}}.items() if w is None]
    if unknown:
        return Unknown("no_power", sorted(unknown))
    load = len(same) * q.each_w + math.fsum(w for w in others.values() if w is not None)
    load += q.loads.unlisted_w.get(q.rack.key, 0.0)
    level = CapacityLevel("rack", q.rack.key, q.rack.capacity_w, load, q.each_w)
    return EvaluatedLevel(level, level.room(q.margin_pct), q.margin_pct, q.rack.key not in q.loads.unlisted_w)


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
    """Evaluate the free spaces; a node takes one piece."""
    pieces = pieces_u(q.loads.facility, q.rack)
    height = q.model.height_u or next((n.height_u for n in q.nodes if n.height_u), None)
    if not q.rack.height_u or pieces is None or not height:
        return Unknown("no_height")
    level = CapacityLevel("space", q.rack.key, q.rack.height_u, q.rack.height_u - sum(pieces), height, "U")
    return EvaluatedLevel(level, sum(high // height for high in pieces))


def _outlets(q: Question) -> EvaluatedLevel | Unknown:
    """Evaluate the free outlets of the type of the model, on each feed that its nodes use; the fewest count."""
    outlets = matching(
        outlets_on(q.loads.facility, q.loads.devices_in(q.rack.key), q.loads.series), q.model.outlet_type
    )
    need = {feed: n for feed, n in cords_by_feed(q.loads.facility, q.alike).items() if n}
    levels = [_outlets_of(q, [o for o in outlets if o.feed == feed], feed, n) for feed, n in need.items()]
    known = [level for level in levels if level is not None]
    if not known:
        return Unknown("no_outlets")
    return min(known, key=lambda one: (one.additional or 0, one.level.margin_pct()))


def _outlets_of(q: Question, outlets: Sequence[RackOutlet], feed: str, need: int) -> EvaluatedLevel | None:
    if not outlets:
        return None
    is_typed = q.model.outlet_type is not None and all(o.type is not None for o in outlets)
    key = "/".join([q.rack.key, *([feed] if feed else []), *([str(q.model.outlet_type)] if is_typed else [])])
    level = CapacityLevel("outlets", key, len(outlets), sum(o.used for o in outlets), need, "outlets")
    return EvaluatedLevel(level, level.room(0.0))


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
