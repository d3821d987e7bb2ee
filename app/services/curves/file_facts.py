"""What a file of curves states about itself: stretch, zone and units, and per column coverage and energy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from app.domain.timeseries import Curve, window
from app.models import stretch_answer
from app.services.files import TableColumn
from collectors.contract import DAY_MS, Quantity

Curves = Callable[[int, int], Mapping[str, Curve | None]]


def file_facts(
    columns: Mapping[str, TableColumn],
    further: Sequence[TableColumn],
    curves: Curves,
    span: tuple[int, int],
    recorded: tuple[int, int],
) -> Mapping[str, Any]:
    """Return the facts that the curves themselves give; they are read day by day, as far as anything is recorded.

    `coverage`: covered share of the window. `energy_j`: ∫ p dt over the covered time, of columns in W [J]; None where
    nothing is covered. `method` is `integral` if there is any such column.
    """
    start_ms, end_ms = span
    covered_ms, parts = dict.fromkeys(columns, 0), {name: list[float]() for name in columns}
    for a, b in _days(max(start_ms, recorded[0]), min(end_ms, recorded[1])):
        found = curves(a, b)
        for name in columns:
            covered, integral = _covered(found.get(name), a, b)
            covered_ms[name] += covered
            parts[name].append(integral)
    described: list[dict[str, Any]] = [{"name": "t", "unit": None, "coverage": None, "energy_j": None}]
    for name, column in columns.items():
        energy_j = math.fsum(parts[name]) if column.unit == "W" and covered_ms[name] else None
        share = covered_ms[name] / (end_ms - start_ms)
        described.append({"name": column.title, "unit": column.unit, "coverage": share, "energy_j": energy_j})
    described += [{"name": c.title, "unit": c.unit, "coverage": None, "energy_j": None} for c in further]
    power = any(column.unit == "W" for column in columns.values())
    return {
        "quantity": Quantity.POWER.value,
        "power_basis": None,
        **stretch_answer(start_ms, end_ms),
        "zone": "UTC",
        "method": "integral" if power else None,
        "columns": described,
    }


def _days(start_ms: int, end_ms: int) -> Iterator[tuple[int, int]]:
    at = start_ms
    while at < end_ms:
        until = min(at + DAY_MS, end_ms)
        yield at, until
        at = until


def _covered(curve: Curve | None, start_ms: int, end_ms: int) -> tuple[int, float]:
    """Return the covered time [ms] and the integral over it [value · s]."""
    if curve is None:
        return 0, 0.0
    part = window(curve, start_ms, end_ms)
    if len(part) < 2:
        return 0, 0.0
    length = np.where(part.linked[:-1], np.diff(part.t_ms), 0)
    return int(length.sum()), math.fsum((part.v[:-1] + part.v[1:]) / 2.0 * length) / 1000.0
