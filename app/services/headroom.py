"""Rated, usable and observed side by side, by node, rack, PDU, line or model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from app.errors import Invalid
from app.services.circuit_headroom import pdus, phases
from app.services.context import Context
from app.services.headroom_row import HeadroomRow, Look, Observed, by_power
from app.services.node_power import NodePower, Source, node_power
from app.services.rack_power import rack_totals
from app.store.snapshot import Node

LevelName = Literal["node", "rack", "pdu", "phase", "model"]
DAY_MS = 86_400_000


def headroom_rows(context: Context, level: LevelName, start_ms: int | None, end_ms: int | None) -> list[HeadroomRow]:
    """One row for every thing of a level, over a window (by default the last 24 h).

    Raises
    ------
    Invalid
        The window ends before it starts.
    """
    end_ms = context.now_ms() if end_ms is None else end_ms
    start_ms = end_ms - DAY_MS if start_ms is None else start_ms
    if end_ms <= start_ms:
        raise Invalid("the window ends before it starts", "give from < to", code="bad_window")
    return _LEVELS[level](Look(context, context.facility.at(end_ms), start_ms, end_ms))


def _node_row(look: Look, node: Node, power: NodePower) -> HeadroomRow:
    model = look.facility.model_of(node)
    rated, budget = (model.rated_w, model.budget_w) if model else (None, None)
    row = HeadroomRow(key=node.key, label=node.title, rated_w=rated, budget_w=budget, usable_w=budget or rated)
    return by_power(row, look, power.total, power.source, power.parts)


def _nodes(look: Look) -> list[HeadroomRow]:
    return [
        _node_row(look, node, node_power(look.context, node.key, look.start_ms, look.end_ms))
        for node in look.facility.nodes.values()
    ]


def _racks(look: Look) -> list[HeadroomRow]:
    totals = rack_totals(look.context, look.facility, list(look.facility.racks), look.start_ms, look.end_ms)
    rows = []
    for rack in look.facility.racks.values():
        total = totals[rack.key]
        parts = [part for power in total.nodes.values() for part in power.parts]
        row = HeadroomRow(key=rack.key, label=rack.title, rated_w=rack.capacity_w, usable_w=rack.capacity_w)
        sources: set[Source | None] = {power.source for power in total.nodes.values()}
        source = "pdu" if total.basis == "inlets" else next(iter(sources)) if len(sources) == 1 else None
        rows.append(by_power(row, look, total.total, source, parts))
    return rows


def _models(look: Look) -> list[HeadroomRow]:
    """Each model by the node that came closest to its rating."""
    by_model: dict[str, list[HeadroomRow]] = {}
    for node, row in zip(look.facility.nodes.values(), _nodes(look), strict=True):
        if node.model in look.facility.models:
            by_model.setdefault(str(node.model), []).append(row)
    rows = []
    for key, nodes in sorted(by_model.items()):
        worst = max(nodes, key=lambda row: row.observed_w.max or -math.inf)
        observed = Observed(*(_highest(nodes, name) for name in ("max", "p99", "median")))
        coverage = sum(row.coverage for row in nodes) / len(nodes)
        label = look.facility.models[key].title
        rows.append(replace(worst, key=key, label=label, observed_w=observed, coverage=coverage))
    return rows


def _highest(rows: Sequence[HeadroomRow], name: str) -> float | None:
    return max((v for row in rows if (v := getattr(row.observed_w, name)) is not None), default=None)


_LEVELS: Mapping[LevelName, Callable[[Look], list[HeadroomRow]]] = {
    "node": _nodes,
    "rack": _racks,
    "pdu": pdus,
    "phase": phases,
    "model": _models,
}
