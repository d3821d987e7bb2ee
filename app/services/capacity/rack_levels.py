"""The limits of a rack besides its capacity: circuits, a failed feed, space, outlets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from app.domain.capacity import Capacity, CapacityLevel, additional_nodes
from app.domain.facility import Spare, nodes_that_fit
from app.services.capacity.rack_feeds import PduState, RackFeeds
from app.services.energy import OUTLET, pdus_in
from app.store.facility import Breaker, Facility, Model, Node, Rack
from app.store.timeseries import SeriesInfo

Asked = tuple[CapacityLevel, Capacity]
_LEAST_POWER_FACTOR = 0.5


def rack_levels(
    facility: Facility,
    rack: Rack,
    model: Model,
    nodes: Sequence[Node],
    each_w: float,
    free_u: int,
    feeds: RackFeeds,
    outlets: Collection[str],
) -> list[Asked]:
    """Return every limit that can be evaluated, and how many more nodes of `model` it allows.

    `nodes` are those of the model in the rack: a new node is assumed to have cords like them and to draw `each_w`. No
    margin applies here: a breaker has its own derating, and height and outlets need none.
    """
    need = _need(facility, nodes)
    levels = [_circuits(facility, feeds, need, each_w), _failover(facility, feeds, need, each_w)]
    levels += [space_level(rack, model, nodes, free_u), outlets_level(facility, rack, nodes, outlets)]
    return [asked for asked in levels if asked is not None]


def _need(facility: Facility, nodes: Sequence[Node]) -> dict[str, int]:
    """Return by feed on how many of its PDUs a node has a cord."""
    need: dict[str, int] = {}
    for node in nodes:
        devices = {feed.device for feed in facility.powering(node.key)}
        used = Counter(d.feed for key in devices if (d := facility.devices.get(key)) and d.feed and d.kind == "pdu")
        need |= {feed: max(n, need.get(feed, 0)) for feed, n in used.items() if feed}
    return need


def _per_line_a(watts: float, breaker: Breaker | None, pdu: PduState) -> float:
    """Return what a load spread evenly over the lines of a PDU adds to each [A]; NaN without a declared voltage."""
    if breaker is None or not breaker.volts:
        return math.nan
    measured = pdu.power_factor or 1.0
    factor = measured if _LEAST_POWER_FACTOR <= measured <= 1.0 else 1.0
    return watts / ((math.sqrt(3.0) if breaker.phases == 3 else 1.0) * breaker.volts * factor)


def _circuits(facility: Facility, feeds: RackFeeds, need: dict[str, int], each_w: float) -> Asked | None:
    """Evaluate every line against breaker × derating, with the highest currents of the window."""
    cords = sum(need.values())
    spare: dict[str, list[Spare]] = {}
    added = math.nan
    for pdu in feeds.pdus:
        tops = [line.max_a for line in pdu.lines if line.max_a is not None]
        if pdu.feed in need and pdu.limit_a and tops:
            spare.setdefault(pdu.feed, []).append(Spare(pdu.key, max(tops), pdu.limit_a))
            added = max(_per_line_a(each_w / cords, facility.devices[pdu.key].breaker, pdu), added)
    if not spare or math.isnan(added):
        return None
    tightest = max((s for of_feed in spare.values() for s in of_feed), key=lambda s: s.share)
    level = CapacityLevel("line", tightest.key, tightest.limit, tightest.load, added, "A")
    return level, Capacity(nodes_that_fit(spare, need, added), level, 0.0)


def _failover(facility: Facility, feeds: RackFeeds, need: dict[str, int], each_w: float) -> Asked | None:
    """Evaluate every remaining line if a feed failed; a node is then powered by the others alone."""
    levels = []
    for failed in feeds.failovers:
        left = sum(n for feed, n in need.items() if feed != failed)
        for pdu in feeds.pdus:
            peaks = [a for line in pdu.lines if (a := line.failover_a.get(failed)) is not None]
            added = _per_line_a(each_w / left, facility.devices[pdu.key].breaker, pdu) if left else math.nan
            if peaks and pdu.limit_a and pdu.feed in need and not math.isnan(added):
                levels.append(CapacityLevel("failover", pdu.key, pdu.limit_a, max(peaks), added, "A"))
    capacity = additional_nodes(levels)
    return (capacity.binding, capacity) if capacity.binding else None


def space_level(rack: Rack, model: Model, nodes: Sequence[Node], free_u: int) -> Asked | None:
    """Evaluate the free height; None where it, or that of a node, is not declared."""
    height = model.height_u or next((n.height_u for n in nodes if n.height_u), None)
    if not rack.height_u or not height or any(n.position_u is None for n in nodes):
        return None
    level = CapacityLevel("space", rack.key, rack.height_u, rack.height_u - free_u, height, "U")
    return level, additional_nodes([level])


def outlets_level(facility: Facility, rack: Rack, nodes: Sequence[Node], outlets: Collection[str]) -> Asked | None:
    """Return the free outlets of the rack's PDUs; None where no PDU reports outlets or no node has a cord."""
    cords = max((len(facility.connections_of(n.key)) for n in nodes), default=0)
    if not outlets or not cords:
        return None
    used = {feed.key for node in facility.nodes for feed in facility.powering(node)} & set(outlets)
    level = CapacityLevel("outlets", rack.key, len(outlets), len(used), cords, "outlets")
    return level, additional_nodes([level])


def outlets_of(facility: Facility, rack: str, series: Mapping[str, Sequence[SeriesInfo]]) -> frozenset[str]:
    """Return the outlets that the PDUs of a rack report, as `device/point`; `series` by device."""
    infos = [info for device in pdus_in(facility, rack) for info in series.get(device.key, ())]
    return frozenset(f"{info.device}/{info.point}" for info in infos if OUTLET.fullmatch(info.point))
