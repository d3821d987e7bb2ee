"""Rated, usable and observed power by node, model, rack, room, site, PDU, line or feed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from app.errors import Invalid
from app.services.energy import NodePower, rack_totals, read_node_powers
from app.services.headroom.circuit_headroom import feeds, pdus, phases
from app.services.headroom.headroom_row import HeadroomContext, HeadroomRow, ObservedLoad, by_power, derived_load
from app.services.headroom.minute_headroom import MinuteHeadroom
from app.services.headroom.place_headroom import rack_row, rack_rows, rooms, sites
from app.services.headroom.stores import HeadroomStores
from app.store.facility import Node
from collectors.contract import DAY_MS

LevelName = Literal["node", "rack", "row", "room", "site", "feed", "pdu", "phase", "model"]


def headroom_rows(
    stores: HeadroomStores, level: LevelName, start_ms: int | None, end_ms: int | None
) -> list[HeadroomRow]:
    """Return a row for every object of a level, over a window (by default the last 24 h).

    Raises
    ------
    Invalid
        The window ends before it starts.
    """
    end_ms = stores.now_ms() if end_ms is None else end_ms
    start_ms = end_ms - DAY_MS if start_ms is None else start_ms
    if end_ms <= start_ms:
        raise Invalid("the window ends before it starts", "give from < to", code="bad_window")
    return _LEVELS[level](HeadroomContext(stores, stores.facility.at(end_ms), start_ms, end_ms))


def _nodes(context: HeadroomContext) -> list[HeadroomRow]:
    nodes = list(context.facility.nodes.values())
    rows = [_limits_of(context, node) for node in nodes]
    if context.prefers_minutes(len(nodes)):
        tier = MinuteHeadroom(context)
        return tier.held("node", rows, [tier.of_node(node) for node in nodes])
    powers = read_node_powers(context.stores, [node.key for node in nodes], context.start_ms, context.end_ms)
    return [_observed(context, row, power) for row, power in zip(rows, powers.values(), strict=True)]


def _observed(context: HeadroomContext, row: HeadroomRow, power: NodePower) -> HeadroomRow:
    seen = context.observed(power.total)
    return by_power(row, seen, power.source, power.parts, derived_load(power, seen.max_at_ms))


def _limits_of(context: HeadroomContext, node: Node) -> HeadroomRow:
    model = context.facility.model_of(node)
    rated, budget = (model.rated_w, model.budget_w) if model else (None, None)
    return HeadroomRow(key=node.key, label=node.title, rated_w=rated, budget_w=budget, usable_w=budget or rated)


def _racks(context: HeadroomContext) -> list[HeadroomRow]:
    racks = list(context.facility.racks.values())
    rows = [HeadroomRow(key=r.key, label=r.title, rated_w=r.capacity_w, usable_w=r.capacity_w) for r in racks]
    if context.prefers_minutes(len(racks)):
        tier = MinuteHeadroom(context)
        return tier.held("rack", rows, [tier.of_rack(rack) for rack in racks])
    totals = rack_totals(
        context.stores, context.facility, list(context.facility.racks), context.start_ms, context.end_ms
    )
    return [rack_row(row, context, totals[row.key]) for row in rows]


def _models(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for every model, by its node that came closest to its rating."""
    by_model: dict[str, list[HeadroomRow]] = {}
    for node, row in zip(context.facility.nodes.values(), _nodes(context), strict=True):
        if node.model in context.facility.models:
            by_model.setdefault(str(node.model), []).append(row)
    rows = []
    for key, nodes in sorted(by_model.items()):
        worst = max(nodes, key=lambda row: row.observed_w.max or -math.inf)
        observed = ObservedLoad(*(_highest(nodes, name) for name in ("max", "p99", "median")))
        coverage = sum(row.coverage for row in nodes) / len(nodes)
        label = context.facility.models[key].title
        rows.append(replace(worst, key=key, label=label, observed_w=observed, coverage=coverage))
    return rows


def _highest(rows: Sequence[HeadroomRow], name: str) -> float | None:
    return max((v for row in rows if (v := getattr(row.observed_w, name)) is not None), default=None)


_LEVELS: Mapping[LevelName, Callable[[HeadroomContext], list[HeadroomRow]]] = {
    "node": _nodes,
    "rack": _racks,
    "row": rack_rows,
    "room": rooms,
    "site": sites,
    "feed": feeds,
    "pdu": pdus,
    "phase": phases,
    "model": _models,
}
