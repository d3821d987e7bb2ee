"""Headroom and capacity as tables of records: one row per object or level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from app.api.http import RecordSummary, common_method
from app.domain.timeseries import TimeWindow
from app.models import Share, StretchAnswer, stretch_answer
from app.presentation.capacity import RackFitLine, capacity_answer
from app.services.capacity import BasisName, RackCapacity
from app.services.files import RecordTable, flag, number, text, time
from app.services.headroom import HeadroomRow, LevelName

HEADROOM_COLUMNS = (
    *map(text, ("level", "key", "label")),
    *map(number, (
        "rated_w", "budget_w", "usable_w", "usable_va", "limit_a", "observed_max_w", "observed_p99_w",
        "observed_median_w", "observed_max_a", "observed_p99_a", "observed_median_a", "headroom_w", "headroom_a",
        "headroom_pct", "coverage",
    )),
    time("max_at"), *map(text, ("source", "method", "power_basis")), number("max_over_s"), text("basis"),
    number("quantiles_within_pct"), text("caliber"), number("uncertainty_pct"), number("k"), time("from"), time("to"),
    number("additional_nodes"), *map(text, ("fits_model", "binds")), number("stranded_w"), text("not_evaluated"),
    flag("nodes_only"),
)  # fmt: skip
CAPACITY_COLUMNS = (
    *map(text, ("rack", "model", "basis")), number("margin_pct"), *map(text, ("level", "key", "unit")),
    *(number(name, "unit") for name in ("limit", "load", "per_node")), number("additional_nodes"),
    number("margin_left_pct"), number("stranded", "unit"), flag("binding"), text("not_evaluated"), number("nodes"),
    number("each_w"), time("from"), time("to"), flag("nodes_only"),
)  # fmt: skip


class Fits(NamedTuple):
    """How many more nodes of which model fit, what binds and what is stranded [W], or why it is not evaluated.

    `nodes_only`: loads beside the nodes are not known in one of the racks; None where nothing was evaluated.
    """

    additional_nodes: int | None = None
    model: str = ""
    binds: str = ""
    stranded_w: float | None = None
    why: str = ""
    nodes_only: bool | None = None


def fits_of(lines: Mapping[str, Sequence[RackFitLine]]) -> dict[str, Fits]:
    """Return what fits by key, from the lines of the racks of each object: the sums, unknown while one is."""
    return {key: _fits(racks) for key, racks in lines.items()}


def _fits(racks: Sequence[RackFitLine]) -> Fits:
    if len(racks) == 1:
        one = racks[0]
        return Fits(one.additional_nodes, one.model, one.binds, one.stranded_w, one.why, one.nodes_only)
    nodes = [rack.additional_nodes for rack in racks if rack.additional_nodes is not None]
    stranded_w = [rack.stranded_w for rack in racks if rack.stranded_w is not None]
    return Fits(
        sum(nodes) if len(nodes) == len(racks) else None,
        stranded_w=sum(stranded_w) if len(stranded_w) == len(racks) else None,
        nodes_only=any(rack.nodes_only for rack in racks),
    )


class HeadroomSummary(StretchAnswer, RecordSummary):
    """What a file of headroom cannot say in its cells.

    `method`: of the observed power. `coverage`: of the least covered object; null without objects.
    """

    level: LevelName
    method: str | None
    coverage: Share | None


class CapacitySummary(StretchAnswer, RecordSummary):
    """What a file of a rack's capacity cannot say in its cells. `each_w`: what one more node counts for.

    `additional_nodes`: how many fit; null where no evaluated level limits the number.
    """

    rack: str
    model: str
    basis: BasisName
    margin_pct: float
    each_w: float
    additional_nodes: int | None


def headroom_table(
    level: LevelName, rows: Sequence[HeadroomRow], window: TimeWindow, fits: Mapping[str, Fits] = MappingProxyType({})
) -> RecordTable:
    """Return one object a row; `fits`: by key, how many more nodes fit."""
    facts = {
        "level": level,
        **stretch_answer(window.start_ms, window.end_ms),
        "zone": "UTC",
        "method": common_method(row.method for row in rows),
        "coverage": min((row.coverage for row in rows), default=None),
        "rows": len(rows),
    }
    return RecordTable(HEADROOM_COLUMNS, list(_headroom_cells(level, rows, window, fits)), facts)


def capacity_table(found: RackCapacity) -> RecordTable:
    """Return one level a row: limits and loads in its `unit`, and why a level was not evaluated."""
    cells = list(_capacity_cells(found))
    facts = {
        "rack": found.rack,
        "model": found.model,
        "basis": found.basis,
        "margin_pct": found.margin_pct,
        "each_w": found.each_w,
        "additional_nodes": found.additional_nodes,
        **stretch_answer(found.window.start_ms, found.window.end_ms),
        "zone": "UTC",
        "rows": len(cells),
    }
    return RecordTable(CAPACITY_COLUMNS, cells, facts)


def _headroom_cells(
    level: LevelName, rows: Sequence[HeadroomRow], window: TimeWindow, fits: Mapping[str, Fits]
) -> Iterator[Sequence[object]]:
    for row in rows:
        watts, amps = row.observed_w, row.observed_a
        yield (
            level, row.key, row.label, row.rated_w, row.budget_w, row.usable_w, row.usable_va, row.limit_a, watts.max,
            watts.p99, watts.median, amps.max, amps.p99, amps.median, row.headroom_w, row.headroom_a, row.headroom_pct,
            row.coverage, row.max_at_ms, row.source, row.method, row.power_basis, row.max_over_s, row.basis,
            row.quantiles_within_pct, row.caliber, row.uncertainty_pct, row.k, window.start_ms, window.end_ms,
            *fits.get(row.key, Fits()),
        )  # fmt: skip


def _capacity_cells(found: RackCapacity) -> Iterator[Sequence[object]]:
    asked = (found.rack, found.model, found.basis, found.margin_pct)
    rest = (found.nodes, found.each_w, found.window.start_ms, found.window.end_ms)
    binding = (found.binding.level, found.binding.key) if found.binding else None
    for one in found.levels:
        binds = (one.level, one.key) == binding
        yield (
            *asked, one.level, one.key, one.unit, one.limit, one.load, one.per_node, one.additional_nodes,
            one.margin_pct, one.stranded, binds, None, *rest, one.nodes_only,
        )  # fmt: skip
    for unknown in capacity_answer(found).not_evaluated:
        yield (*asked, unknown.level, *[None] * 8, False, unknown.why, *rest, None)
