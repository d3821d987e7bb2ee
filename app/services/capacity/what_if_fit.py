"""Whether the additions of a what-if request fit: the same evaluation as for a rack alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.services.capacity.capacity_levels import question
from app.services.capacity.capacity_loads import CapacityLoads
from app.services.capacity.rack_fit import LevelFit, RackCapacity, each_watts, fit, site_margin_pct
from app.services.capacity.supposed_loads import suppose_loads
from app.services.capacity.what_if_request import PlacedNode, WantedNodes, WhatIfRequest


@dataclass(frozen=True)
class Shortage:
    """A limit that so many nodes exceed: by how much, in its unit."""

    level: str
    key: str
    unit: str
    short: float


@dataclass(frozen=True)
class AdditionFit:
    """Whether a number of nodes fits into a rack, after the removals and the additions before it.

    Attributes
    ----------
    found: how many fit, and what binds. short: the limits that so many exceed; empty where they fit.
    """

    count: int
    fits: bool
    found: RackCapacity
    short: Sequence[Shortage]


def addition_fits(
    loads: CapacityLoads, asked: WhatIfRequest, placed: Sequence[PlacedNode], margin_pct: float | None
) -> list[AdditionFit]:
    """Return whether each addition fits; `placed`: the nodes of all of them, in their order."""
    answers, first = [], 0
    for one in asked.add:
        supposed = suppose_loads(loads, asked.removed_loads, placed[:first])
        answers.append(_addition(supposed, one, margin_pct))
        first += one.count
    return answers


def _addition(loads: CapacityLoads, one: WantedNodes, margin_pct: float | None) -> AdditionFit:
    rack, model = loads.facility.racks[one.rack], loads.facility.models[one.model]
    kept_pct = site_margin_pct(loads.facility, rack) if margin_pct is None else margin_pct
    return addition_of(fit(question(loads, rack, model, each_watts(loads, model), kept_pct)), one.count)


def addition_of(found: RackCapacity, count: int) -> AdditionFit:
    """Return whether a number of nodes fits, by what fits."""
    short = [_shortage(level, count, found.margin_pct) for level in found.levels if _exceeds(level, count)]
    return AdditionFit(count, not short, found, short)


def _exceeds(level: LevelFit, count: int) -> bool:
    return level.additional_nodes is not None and level.additional_nodes < count


def _shortage(level: LevelFit, count: int, margin_pct: float) -> Shortage:
    """Return what is short: beyond the limit less its margin; of what is free in pieces, what the rest needs."""
    kept = 1.0 - (margin_pct if level.unit in ("W", "VA", "A") else 0.0) / 100.0
    beyond = level.load + count * level.per_node - level.limit * kept
    rest = (count - (level.additional_nodes or 0)) * level.per_node
    return Shortage(level.level, level.key, level.unit, beyond if beyond > 0 else rest)
