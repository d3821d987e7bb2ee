"""The gate for readings that cannot be true, whatever device or profile they come from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.plausibility.module_sums import ModuleSums
from app.domain.plausibility.ranges import NO_FREQUENCY, RANGES, is_battery, is_signed, limits
from app.domain.plausibility.reasons import Reasons, RefusalReason
from app.domain.plausibility.small_codes import SmallCodes
from app.domain.timeseries import BoolArray, FloatArray, IntArray
from collectors.contract import Quantity, Series

NEAR = 0.1
"""A reading within this share of the reading before it is real, even if it has the value of a code."""
APART = 0.2
"""The share by which W may differ from V · A · power factor."""
_MISSING_CODES = np.array([k * c for c in (2**15 - 1, 2**16 - 1, 2**31 - 1, 2**32 - 1) for k in (1, 10)], np.float64)
_CODED = frozenset(
    {
        Quantity.VOLTAGE, Quantity.CURRENT, Quantity.POWER, Quantity.APPARENT_POWER, Quantity.FREQUENCY,
        Quantity.HUMIDITY,
    }
)  # fmt: skip
_LINE = re.compile(r".*/l\d")
_OUTLET = re.compile(r"(.*/)?outlet/[^/]+")
LEAST_ROUNDING = 10.0
"""Difference [W] that is always explained by rounding: some devices give W and VA in tens whatever they declare."""
_ROUNDING = {Quantity.POWER: 1.0, Quantity.VOLTAGE: 1.0, Quantity.CURRENT: 0.1, Quantity.POWER_FACTOR: 0.01}
"""Resolution where the layout states none [base unit]."""


@dataclass(frozen=True, eq=False)
class _Triples:
    """Points that report W, V, A and power factor: a column of each, and half a step of rounding of each.

    Attributes
    ----------
    apparent: int[k], column of the VA of the same point, −1 where it reports none. needs_apparent: bool[k].
    """

    columns: IntArray
    half_steps: FloatArray
    apparent: IntArray
    needs_apparent: BoolArray


@dataclass(frozen=True, eq=False)
class PlausibilityGate:
    """The rules for readings that cannot be true, prepared for the m series of a layout.

    Source: docs/semantics.md, "Impossible readings".

    Attributes
    ----------
    low, high: float64[m], least and greatest possible reading. range_low, range_high: the same by the quantity alone.
    steps: float64[m], readings per raw step; NaN for series that have no code for "missing".
    minus_one: bool[m], whether a raw −1 means "missing".

    Notes
    -----
    A code is the largest unsigned or signed value of 16 or 32 bits, or ten times it. Codes of 8 bits are ordinary
    readings in W, VA, V and A (127 W and 255 W at a resolution of 1 W) unless `SmallCodes` finds them together; in Hz
    and % of humidity they are out of range already.
    """

    low: FloatArray
    high: FloatArray
    range_low: FloatArray
    range_high: FloatArray
    steps: FloatArray
    minus_one: BoolArray
    frequencies: IntArray
    triples: _Triples
    small_codes: SmallCodes
    module_sums: ModuleSums | None

    @classmethod
    def of(cls, series: Sequence[Series], rated: FloatArray | None = None) -> PlausibilityGate:
        """Prepare the rules for the series of a layout.

        Parameters
        ----------
        rated: float64[m], what the facility declares that each point carries [base unit], inf where nothing.
        """
        declared = np.full(len(series), np.inf) if rated is None else rated
        pairs = [limits(one, float(most)) for one, most in zip(series, declared, strict=True)]
        ranges = [RANGES[one.quantity] for one in series]
        coded = [one.quantity in _CODED and not is_battery(one) for one in series]
        minus_one = [c and (not is_signed(one) or _is_rail(one)) for one, c in zip(series, coded, strict=True)]
        resolution = [one.resolution or 1.0 if c else np.nan for one, c in zip(series, coded, strict=True)]
        return cls(
            low=np.array([low for low, _ in pairs]),
            high=np.array([high for _, high in pairs]),
            range_low=np.array([low for low, _ in ranges]),
            range_high=np.array([high for _, high in ranges]),
            steps=1.0 / np.array(resolution),
            minus_one=np.array(minus_one),
            frequencies=np.array([i for i, one in enumerate(series) if one.quantity is Quantity.FREQUENCY], np.intp),
            triples=_triples(series),
            small_codes=SmallCodes.of(series),
            module_sums=ModuleSums.of(series),
        )

    def judge(self, values: FloatArray, previous: Callable[[], FloatArray]) -> Reasons | None:
        """Return why each reading is refused, uint8[n, m] (0: accepted), or None if all are accepted.

        Parameters
        ----------
        values: float64[n, m] in time order, NaN = missing, which is never refused.
        previous: returns float64[m], the last accepted reading of each series before these, NaN where there is none;
        called only if the values hold a code.
        """
        reasons = np.zeros(values.shape, np.uint8)
        beyond = (values < self.low) | (values > self.high)
        if beyond.any():
            self._explain(reasons, values, beyond)
        if len(self.frequencies):
            hertz = values[:, self.frequencies]
            wrong = (hertz > NO_FREQUENCY[0]) & (hertz < NO_FREQUENCY[1])
            reasons[:, self.frequencies] = np.where(wrong, RefusalReason.OUT_OF_RANGE, reasons[:, self.frequencies])
        self._find_codes(reasons, values, previous)
        if len(self.triples.columns):
            self._compare_products(reasons, values)
        if len(self.small_codes.columns):
            self.small_codes.find(reasons, values)
        if self.module_sums is not None:
            self.module_sums.compare(reasons, values)
        return reasons if reasons.any() else None

    def _explain(self, reasons: Reasons, values: FloatArray, beyond: BoolArray) -> None:
        """Name the rule that each value beyond the limits of its series breaks."""
        reasons[beyond] = RefusalReason.ABOVE_RATING
        reasons[beyond & (values < 0)] = RefusalReason.NEGATIVE
        reasons[beyond & ((values < self.range_low) | (values > self.range_high))] = RefusalReason.OUT_OF_RANGE
        reasons[np.isinf(values)] = RefusalReason.NOT_FINITE

    def _find_codes(self, reasons: Reasons, values: FloatArray, previous: Callable[[], FloatArray]) -> None:
        with np.errstate(invalid="ignore", over="ignore"):
            raw = values * self.steps
        large = (raw > _MISSING_CODES.min() - 0.5) & (raw < _MISSING_CODES.max() + 0.5)
        minus_one = self.minus_one & (np.abs(raw + 1.0) < 1e-3)
        if not (large.any() or minus_one.any()):
            return
        code = minus_one.copy()
        whole = np.rint(raw[large])
        code[large] = np.isin(whole, _MISSING_CODES) & (np.abs(raw[large] - whole) < 1e-3)
        columns = np.flatnonzero(code.any(axis=0))
        if not len(columns):
            return
        code, found = code[:, columns], values[:, columns]
        before = _last_accepted(found, np.isfinite(found) & ~code & (reasons[:, columns] == 0), previous()[columns])
        real = np.abs(found - before) <= NEAR * np.abs(before)
        refused = code & ~real & ~np.isin(reasons[:, columns], (RefusalReason.NOT_FINITE, RefusalReason.OUT_OF_RANGE))
        block = reasons[:, columns]
        block[refused] = RefusalReason.MISSING_CODE
        reasons[:, columns] = block

    def _compare_products(self, reasons: Reasons, values: FloatArray) -> None:
        """Refuse W that differs from V · A · power factor of the same point by more than 20 % and rounding.

        Where the VA of the point differ from V · A as well, voltage and current belong to different conductors (lines
        of a delta), and nothing is compared; neither is it with a power factor of 0, which is often one that is not
        measured, or with a refused reading.
        """
        rows = self._doubtful(values)
        if not len(rows):
            return
        columns = self.triples.columns
        accepted = np.where(reasons[rows] == 0, values[rows], np.nan)
        with np.errstate(over="ignore", invalid="ignore"):
            watts, volts, amps, factor = (np.abs(accepted[:, columns[:, i]]) for i in range(4))
            half_w, half_v, half_a, half_f = (self.triples.half_steps[:, i] for i in range(4))
            product = volts * amps
            rounding = half_v * amps + volts * half_a
            apparent = np.where(self.triples.apparent < 0, np.nan, np.abs(accepted[:, self.triples.apparent]))
            is_one = np.isnan(apparent) & ~self.triples.needs_apparent
            is_one |= _agree(apparent, product, rounding + half_w)
            wrong = ~_agree(watts, product * factor, half_w + factor * rounding + product * half_f)
        wrong &= is_one & (factor > 0) & np.isfinite(watts) & np.isfinite(product)
        found = np.nonzero(wrong)
        reasons[rows[found[0]], columns[found[1], 0]] = RefusalReason.CONTRADICTS

    def _doubtful(self, values: FloatArray) -> IntArray:
        """Return the frames in which a power differs from its product by more than the least that rounding explains."""
        columns = self.triples.columns
        with np.errstate(over="ignore", invalid="ignore"):
            product = np.abs(values[:, columns[:, 1]] * values[:, columns[:, 2]] * values[:, columns[:, 3]])
            watts = np.abs(values[:, columns[:, 0]])
            wrong = np.abs(watts - product) > APART * np.maximum(watts, product) + LEAST_ROUNDING
        found: IntArray = np.flatnonzero(wrong.any(axis=1))
        return found


def _agree(left: FloatArray, right: FloatArray, rounding: FloatArray) -> BoolArray:
    """Return where two powers agree; where one is missing they do not."""
    found: BoolArray = np.abs(left - right) <= APART * np.maximum(left, right) + np.maximum(rounding, LEAST_ROUNDING)
    return found


def _is_rail(series: Series) -> bool:
    """Return whether it is a voltage that is signed by default: that of a −48 V plant is never at −1."""
    return series.quantity is Quantity.VOLTAGE and series.signed is None


def _last_accepted(values: FloatArray, accepted: BoolArray, previous: FloatArray) -> FloatArray:
    """Return for each reading the accepted one before it in its column, `previous` before the first."""
    rows = np.arange(1, len(values) + 1)[:, None]
    last = np.maximum.accumulate(np.where(accepted, rows, 0), axis=0)
    found: FloatArray = np.take_along_axis(np.vstack([previous, values]), last, axis=0)
    return found


def _triples(series: Sequence[Series]) -> _Triples:
    """Return the points of one phase that report all four quantities.

    An outlet may be compared by itself; a line only where its VA show that voltage and current belong together.
    """
    at: dict[str, dict[Quantity, int]] = {}
    for i, one in enumerate(series):
        at.setdefault(one.point, {})[one.quantity] = i
    three_phase = {point.rpartition("/")[0] for point in at if _LINE.fullmatch(point)}
    points = [
        point
        for point, columns in at.items()
        if (_LINE.fullmatch(point) or _OUTLET.fullmatch(point)) and point not in three_phase
        if columns.keys() >= _ROUNDING.keys()
    ]
    columns = [[at[point][quantity] for quantity in _ROUNDING] for point in points]
    half = [[0.5 * (series[i].resolution or _ROUNDING[series[i].quantity]) for i in row] for row in columns]
    return _Triples(
        columns=np.array(columns, np.intp).reshape(-1, 4),
        half_steps=np.array(half, np.float64).reshape(-1, 4),
        apparent=np.array([at[point].get(Quantity.APPARENT_POWER, -1) for point in points], np.intp),
        needs_apparent=np.array([_LINE.fullmatch(point) is not None for point in points], np.bool_),
    )
