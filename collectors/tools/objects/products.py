"""Columns of a table that are volts, amperes, watts, volt-amperes and power factors, found by their products. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from collectors.contract import Quantity
from collectors.tools.objects.finding import ObjectFinding
from collectors.tools.objects.tables import ObjectColumn, ObjectTable

SCALES = (1.0, 0.1, 0.01, 0.001)
LEAST_RAW = 4
"""Smaller numbers are rounded by more than a power factor changes."""
LEAST_ROWS = 2
_LEAST_LARGE = 50
_MOST_COLUMNS = 60
_MAINS_V = (90.0, 300.0)
_UNBALANCE = 0.12
_LEAST_FACTOR, _MOST_FACTOR = 0.3, 1.03


def is_index(column: ObjectColumn) -> bool:
    """Return whether a column repeats the index of its rows."""
    return all(index.rpartition(".")[2] == str(number) for index, number in column.numbers.items())


def by_factor(columns: Sequence[ObjectColumn], table: ObjectTable) -> Iterator[ObjectFinding]:
    """Yield watts, volt-amperes and power factors of a table whose products agree in every loaded row."""
    numeric = [c for c in columns if c.numbers and not is_index(c)][:_MOST_COLUMNS]
    for factor in numeric:
        for scale in (0.01, 0.001):
            factors = {i: n * scale for i, n in factor.numbers.items() if n}
            if not factors or min(factors.values()) < _LEAST_FACTOR or max(factors.values()) > 1.0:
                continue
            for power, apparent in permutations([c for c in numeric if c is not factor], 2):
                if rows := _is_factor(power, apparent, factors, scale):
                    why = f"W = VA · power factor in {rows} rows"
                    yield ObjectFinding(table, power, Quantity.POWER, "W", 1.0, why, True)
                    yield ObjectFinding(table, apparent, Quantity.APPARENT_POWER, "VA", 1.0, why, True)
                    yield ObjectFinding(table, factor, Quantity.POWER_FACTOR, "1", scale, why, True)
                    return


def _is_factor(power: ObjectColumn, apparent: ObjectColumn, factors: Mapping[str, float], scale: float) -> int:
    """Return the number of rows in which the powers have this ratio; 0 if they differ, or are too few or alike."""
    w, s = power.numbers, apparent.numbers
    rows = [i for i in factors if w.get(i, 0) >= _LEAST_LARGE and s.get(i, 0) >= _LEAST_LARGE]
    apart = len({w[i] for i in rows}) >= LEAST_ROWS and any(factors[i] < 1 for i in rows)
    agree = all(abs(w[i] - s[i] * factors[i]) <= 1 + s[i] * scale for i in rows)
    return len(rows) if apart and agree else 0


def by_product(
    columns: Sequence[ObjectColumn], table: ObjectTable, watts: ObjectColumn | None
) -> Iterator[ObjectFinding]:
    """Yield volts, amperes and watts of a table whose products agree in every loaded row, and VA if it is there.

    `watts` is the column of the power if that is known.
    """
    numeric = [c for c in columns if c.numbers and not is_index(c)][:_MOST_COLUMNS]
    fits = [fit for voltage in numeric for fit in _products(voltage, [c for c in numeric if c is not voltage], watts)]
    if not fits:
        return
    best = min(fits, key=lambda fit: fit.spread)
    apparent = [c for c in numeric if c not in (best.voltage, best.current) and _is_apparent(c, best)]
    active = [fit for fit in fits if (fit.voltage, fit.current) == (best.voltage, best.current)]
    active = [fit for fit in active if fit.power not in apparent] or [best]
    power = min(active, key=lambda fit: fit.spread)
    why = f"V · A ≈ W in {power.rows} rows"
    others = [c for c in apparent if c is not power.power]
    sure = power.rows > LEAST_ROWS or bool(others)
    yield ObjectFinding(table, best.voltage, Quantity.VOLTAGE, "V", best.scale, why, sure)
    yield ObjectFinding(table, best.current, Quantity.CURRENT, "A", best.amps, f"{why}, if the power is in watts", sure)
    if watts is None:
        yield ObjectFinding(table, power.power, Quantity.POWER, "W", 1.0, why, sure)
    for other in others:
        yield ObjectFinding(table, other, Quantity.APPARENT_POWER, "VA", 1.0, "it is V · A in every row", True)


@dataclass(frozen=True)
class _Product:
    """Columns whose products agree: the scales to V and A, the number of rows, and how far the power factors spread."""

    voltage: ObjectColumn
    scale: float
    current: ObjectColumn
    amps: float
    power: ObjectColumn
    rows: int
    spread: float


def _products(voltage: ObjectColumn, rest: Sequence[ObjectColumn], watts: ObjectColumn | None) -> Iterator[_Product]:
    """Yield the products of a column, if it has the size of a mains voltage, with each two others that agree."""
    for scale in SCALES:
        if not are_mains(voltage, scale):
            continue
        for current, power in permutations(rest, 2) if watts is None else ((c, watts) for c in rest):
            fit = _product(voltage, scale, current, power)
            if fit is not None:
                yield fit


def are_mains(column: ObjectColumn, scale: float) -> bool:
    """Return whether all numbers, scaled, have the size of a mains voltage and differ little."""
    found = [number * scale for number in column.numbers.values() if number]
    if not found or min(found) < _MAINS_V[0] or max(found) > _MAINS_V[1]:
        return False
    return max(found) - min(found) <= _UNBALANCE * max(found)


def _product(voltage: ObjectColumn, scale: float, current: ObjectColumn, power: ObjectColumn) -> _Product | None:
    """Return the product of two columns if it agrees with a third in every loaded row."""
    v, a, w = voltage.numbers, current.numbers, power.numbers
    rows = [i for i in v.keys() & a.keys() & w.keys() if v[i] and a[i] >= LEAST_RAW and w[i] >= LEAST_RAW]
    if len(rows) < LEAST_ROWS or len({a[i] for i in rows}) < LEAST_ROWS or len({w[i] for i in rows}) < LEAST_ROWS:
        return None
    for amps in SCALES:
        factors = [w[i] / (v[i] * scale * a[i] * amps) for i in rows]
        is_percent = max(v[i] * scale for i in rows) <= 100 and min(factors) > 1 / _MOST_FACTOR
        if min(factors) >= _LEAST_FACTOR and max(factors) <= _MOST_FACTOR and not is_percent:
            return _Product(voltage, scale, current, amps, power, len(rows), max(factors) - min(factors))
    return None


def _is_apparent(column: ObjectColumn, product: _Product) -> bool:
    s, v, a = column.numbers, product.voltage.numbers, product.current.numbers
    volts, amps = product.scale, product.amps
    rows = [i for i in s.keys() & v.keys() & a.keys() if a[i] >= LEAST_RAW and s[i]]
    return len(rows) >= LEAST_ROWS and all(
        abs(s[i] - v[i] * volts * a[i] * amps) <= 1 + v[i] * volts * amps / 2 + 0.01 * s[i] for i in rows
    )
