"""The limits of a rack, each asked how many more nodes it lets in: supply, PDUs, lines, failover, space, outlets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.capacity import CapacityLevel, Carried, Pdu, suppose
from app.domain.facility import Spare, nodes_that_fit
from app.services.capacity.capacity_loads import CapacityLoads
from app.services.capacity.rack_levels import outlets_level, outlets_of, space_level
from app.services.capacity.rack_space import free_space
from app.store.facility import Model, Node, Rack

LEVELS = ("rack", "pdu", "line", "failover", "space", "outlets")


@dataclass(frozen=True)
class LevelQuestion:
    """A limit and how many more it lets in; None where a node adds nothing to it. `margin_pct`: what it keeps."""

    level: CapacityLevel
    additional: int | None
    margin_pct: float = 0.0


@dataclass(frozen=True)
class Untold:
    """A level that cannot be told, and why."""

    level: str
    why: str


@dataclass(frozen=True)
class Question:
    """One more node of `model`, which counts for `each_w`, corded like `nodes`, those of its kind in the rack."""

    loads: CapacityLoads
    rack: Rack
    model: Model
    nodes: Sequence[Node]
    each_w: float
    margin_pct: float

    @property
    def need(self) -> Mapping[str, int]:
        """Feed → on how many of its PDUs a node hangs."""
        facility, need = self.loads.facility, dict[str, int]()
        for node in self.nodes:
            devices = {feed.device for feed in facility.powering(node.key)} & set(self.loads.circuits)
            used = Counter(facility.devices[key].feed or "" for key in devices)
            need |= {feed: max(n, need.get(feed, 0)) for feed, n in used.items()}
        return need

    def pdus(self, feed: str) -> list[str]:
        """The PDUs of a feed for this rack that have a circuit."""
        devices = self.loads.facility.devices
        found = self.loads.devices_in(self.rack.key)
        return [key for key in found if key in self.loads.circuits and (devices[key].feed or "") == feed]


def ask(question: Question, levels: Sequence[str]) -> tuple[list[LevelQuestion], list[Untold]]:
    """Every level asked about that can be told, and those that cannot."""
    asked, untold = [], []
    for name in dict.fromkeys(levels):
        found = _LEVELS[name](question)
        if isinstance(found, str):
            untold.append(Untold(name, found))
        else:
            asked.append(found)
    return asked, untold


def _rack(q: Question) -> LevelQuestion | str:
    """The rack's supply: every node of the kind counted as the highest of them, the others as they are."""
    if q.rack.capacity_w is None:
        return "capacity_w of the rack is not declared"
    kin = {node.key for node in q.nodes}
    others = {n.key: q.loads.node_w[n.key] for n in q.loads.facility.nodes_in(q.rack.key) if n.key not in kin}
    dark = [k for k, w in {**others, **{k: q.loads.node_w[k] for k in kin}}.items() if w is None]
    if dark:
        return f"the power of {', '.join(sorted(dark)[:4])} is not known on this basis"
    load = len(kin) * q.each_w + math.fsum(w for w in others.values() if w is not None)
    level = CapacityLevel("rack", q.rack.key, q.rack.capacity_w, load, q.each_w)
    return LevelQuestion(level, level.room(q.margin_pct), q.margin_pct)


def _pdu(q: Question) -> LevelQuestion | str:
    """Apparent power of each PDU against its breaker."""
    loads = {key: q.loads.figure(pdu.power) / q.loads.factors[key] for key, pdu in q.loads.pdus.items()}
    limits = {key: circuit.limit_va for key, circuit in q.loads.circuits.items()}
    each = q.each_w / max(1, sum(q.need.values()))
    per_node = max((each / q.loads.factors[key] for feed in q.need for key in q.pdus(feed)), default=math.nan)
    return _placed("pdu", q, q.need, loads, limits, per_node, "VA")


def _line(q: Question) -> LevelQuestion | str:
    """The fullest line of each PDU against breaker × derating."""
    loads = {key: _fullest(q, pdu) for key, pdu in q.loads.pdus.items()}
    return _placed("line", q, q.need, loads, _limits_a(q), _per_line_a(q, q.need), "A")


def _failover(q: Question) -> LevelQuestion | str:
    """The fullest line of each PDU that is left when a feed is gone; the new nodes hang on what is left, too."""
    if len(q.need) < 2:
        return "the nodes hang on one feed: when it fails, they lose power"
    worst: LevelQuestion | None = None
    for failed in q.need:
        found = suppose(list(q.loads.pdus.values()), q.loads.loads, failed=set(q.pdus(failed)))
        need = {feed: n for feed, n in q.need.items() if feed != failed}
        loads = {key: _fullest(q, carried) for key, carried in found.pdus.items()}
        one = _placed("failover", q, need, loads, _limits_a(q), _per_line_a(q, need), "A")
        if isinstance(one, str):
            return one
        if worst is None or (one.additional or 0) < (worst.additional or 0):
            worst = one
    return worst or "no feed can fail here"


def _space(q: Question) -> LevelQuestion | str:
    empty = not q.loads.facility.nodes_in(q.rack.key)
    pieces = [stretch.high for stretch in free_space(q.loads.facility, q.rack)]
    free = (q.rack.height_u or 0) if empty else max(pieces, default=0)
    found = space_level(q.rack, q.model, q.nodes, free)
    if found is None:
        return "height_u of the rack or the model, or the position of a node, is not declared"
    return LevelQuestion(found[0], found[1].additional_nodes)


def _outlets(q: Question) -> LevelQuestion | str:
    outlets = outlets_of(q.loads.facility, q.rack.key, q.loads.series)
    found = outlets_level(q.loads.facility, q.rack, q.nodes, outlets)
    if found is None:
        return "no PDU here tells its outlets, or no node of this model shows how many one takes"
    return LevelQuestion(found[0], found[1].additional_nodes)


def _fullest(q: Question, pdu: Pdu | Carried) -> float:
    tops = [q.loads.figure(line) for line in pdu.lines.values()]
    return max((a for a in tops if not math.isnan(a)), default=math.nan)


def _limits_a(q: Question) -> dict[str, float]:
    return {key: circuit.limit_a for key, circuit in q.loads.circuits.items()}


def _per_line_a(q: Question, need: Mapping[str, int]) -> float:
    each = q.each_w / max(1, sum(need.values()))
    return max((each * q.loads.pdus[key].amps_per_watt for feed in need for key in q.pdus(feed)), default=math.nan)


def _placed(
    name: str,
    q: Question,
    need: Mapping[str, int],
    loads: Mapping[str, float],
    limits: Mapping[str, float],
    per_node: float,
    unit: str,
) -> LevelQuestion | str:
    """How many fit when each goes where there is most room; every circuit keeps the margin."""
    if not need:
        return "no node of this model hangs here on a PDU with a breaker and its volts: nothing shows its cords"
    keys = [key for feed in need for key in q.pdus(feed)]
    if dark := [key for key in keys if math.isnan(loads.get(key, math.nan))]:
        return f"the load of {', '.join(dark[:4])} is not known on this basis"
    if math.isnan(per_node) or per_node <= 0:
        return "what one more node adds is not known"
    kept = 1.0 - q.margin_pct / 100.0
    spares = {feed: [Spare(key, loads[key], limits[key] * kept) for key in q.pdus(feed)] for feed in need}
    tightest = max((spare for of_feed in spares.values() for spare in of_feed), key=lambda s: s.share)
    level = CapacityLevel(name, tightest.key, limits[tightest.key], tightest.load, per_node, unit)
    return LevelQuestion(level, nodes_that_fit(spares, need, per_node), q.margin_pct)


_LEVELS: Mapping[str, Callable[[Question], LevelQuestion | str]] = {
    "rack": _rack,
    "pdu": _pdu,
    "line": _line,
    "failover": _failover,
    "space": _space,
    "outlets": _outlets,
}
