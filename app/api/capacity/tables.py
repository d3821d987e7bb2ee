"""Headroom and capacity as tables: one row per object or level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.domain.timeseries import TimeWindow, rfc3339
from app.presentation.capacity import capacity_answer
from app.services.capacity import RackCapacity
from app.services.headroom import HeadroomRow, LevelName

HEADROOM_COLUMNS = (
    "level", "key", "label", "rated_w", "budget_w", "usable_w", "usable_va", "limit_a", "observed_max_w",
    "observed_p99_w", "observed_median_w", "observed_max_a", "observed_p99_a", "observed_median_a", "headroom_w",
    "headroom_a", "headroom_pct", "coverage", "max_at", "source", "method", "power_basis", "max_over_s",
    "basis", "quantiles_within_pct", "caliber", "uncertainty_pct", "k", "from", "to",
)  # fmt: skip
CAPACITY_COLUMNS = (
    "rack", "model", "basis", "margin_pct", "level", "key", "unit", "limit", "load", "per_node", "additional_nodes",
    "margin_left_pct", "stranded", "binding", "not_evaluated", "nodes", "each_w", "from", "to",
)  # fmt: skip


def headroom_cells(level: LevelName, rows: Sequence[HeadroomRow], window: TimeWindow) -> Iterator[Sequence[object]]:
    """Yield the cells of each row, in the order of the columns."""
    for row in rows:
        watts, amps = row.observed_w, row.observed_a
        yield (
            level, row.key, row.label, row.rated_w, row.budget_w, row.usable_w, row.usable_va, row.limit_a, watts.max,
            watts.p99, watts.median, amps.max, amps.p99, amps.median, row.headroom_w, row.headroom_a, row.headroom_pct,
            row.coverage, rfc3339(row.max_at_ms), row.source, row.method, row.power_basis,
            row.max_over_s, row.basis, row.quantiles_within_pct, row.caliber,
            row.uncertainty_pct, row.k, rfc3339(window.start_ms), rfc3339(window.end_ms),
        )  # fmt: skip


def capacity_cells(found: RackCapacity) -> Iterator[Sequence[object]]:
    """Yield the cells of each level: limits and loads in its `unit`, and why a level was not evaluated."""
    asked = (found.rack, found.model, found.basis, found.margin_pct)
    rest = (found.nodes, found.each_w, rfc3339(found.window.start_ms), rfc3339(found.window.end_ms))
    binding = (found.binding.level, found.binding.key) if found.binding else None
    for one in found.levels:
        binds = (one.level, one.key) == binding
        yield (
            *asked, one.level, one.key, one.unit, one.limit, one.load, one.per_node, one.additional_nodes,
            one.margin_pct, one.stranded, binds, None, *rest,
        )  # fmt: skip
    for unknown in capacity_answer(found).not_evaluated:
        yield (*asked, unknown.level, *[None] * 8, False, unknown.why, *rest)
