"""Lifetime counters that cannot be true: they go back again and again, or stay at 0 while power flows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.domain.plausibility.reasons import Reasons, RefusalReason
from app.domain.timeseries import BoolArray, FloatArray, IntArray
from collectors.contract import Quantity, Series

WINDOW = 10
"""Readings among which a counter may decrease once: a reset, or a replaced meter."""
UNKNOWN_STEP_J = 3.6e7
"""Assumed resolution where the layout states none [J]: 10 kWh, the coarsest register of a PDU."""
STUCK_STEPS = 2.0
"""Energy that must have flowed, in steps of the counter, before a counter at 0 is refused."""
_WRAP_SHARE = 0.1
_MASK = (1 << WINDOW) - 1


@dataclass(frozen=True, eq=False)
class CounterColumns:
    """The energy counters of a layout.

    Attributes
    ----------
    columns: int[k]. power: int[k], column of the power of the same point, −1 without one.
    steps_j: float64[k], resolution. modulus_j: float64[k], where it wraps to 0; NaN if unknown.
    """

    columns: IntArray
    power: IntArray
    steps_j: FloatArray
    modulus_j: FloatArray
    max_gap_ms: int

    @classmethod
    def of(cls, series: Sequence[Series], max_gap_ms: int) -> CounterColumns:
        """Find the energy counters among the series of a layout."""
        at = {(one.point, one.quantity): i for i, one in enumerate(series)}
        counters = [i for i, one in enumerate(series) if one.quantity is Quantity.ENERGY]
        return cls(
            columns=np.array(counters, np.intp),
            power=np.array([at.get((series[i].point, Quantity.POWER), -1) for i in counters], np.intp),
            steps_j=np.array([series[i].resolution or UNKNOWN_STEP_J for i in counters], np.float64),
            modulus_j=np.array([series[i].counter_modulus or np.nan for i in counters], np.float64),
            max_gap_ms=max_gap_ms,
        )


@dataclass(eq=False)
class CounterHistory:
    """What was seen of the counters of one stream.

    Attributes
    ----------
    t_ms: time of the last frame. last_j: float64[k], the last reading of each counter, accepted or not.
    decreases: int64[k], a bit for each of the last ten readings, 1 for a decrease.
    zero_j: float64[k], energy that has flowed while the counter was at 0.
    """

    t_ms: int | None = None
    last_j: FloatArray = field(default_factory=lambda: np.empty(0))
    decreases: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    zero_j: FloatArray = field(default_factory=lambda: np.empty(0))

    def judge(self, of: CounterColumns, values: FloatArray, t_ms: IntArray) -> Reasons | None:
        """Return why each counter reading is refused, uint8[n, k] (0: accepted), or None.

        Frames that are not later than the last are refused only while the counter is: they may be delivered again.

        Notes
        -----
        A wrap at the declared modulus is no decrease. Source: docs/semantics.md, "Impossible readings".
        """
        if not len(self.last_j):
            k = len(of.columns)
            self.last_j, self.zero_j = np.full(k, np.nan), np.zeros(k)
            self.decreases = np.zeros(k, np.int64)
        reasons = np.zeros((len(t_ms), len(of.columns)), np.uint8)
        counts = values[:, of.columns]
        if self._are_plain(counts, t_ms):
            self.t_ms, self.last_j = int(t_ms[-1]), counts[-1]
            self.zero_j = np.zeros(len(of.columns))
            return None
        power = np.where(of.power < 0, np.nan, values[:, of.power])
        for i, t in enumerate(t_ms.tolist()):
            if self.t_ms is None or t > self.t_ms:
                self._add(of, counts[i], power[i], t)
            reasons[i] = self._reasons(of, counts[i])
        return reasons if reasons.any() else None

    def _are_plain(self, counts: FloatArray, t_ms: IntArray) -> bool:
        """Return whether later readings do nothing but count upwards, as nearly all do."""
        is_later = self.t_ms is None or int(t_ms[0]) > self.t_ms
        if not is_later or self.decreases.any() or not (counts > 0).all():
            return False
        return not (counts[0] < self.last_j).any() and not (counts[1:] < counts[:-1]).any()

    def _add(self, of: CounterColumns, counts: FloatArray, power: FloatArray, t_ms: int) -> None:
        known: BoolArray = np.isfinite(counts)
        wrapped = counts + of.modulus_j - self.last_j <= _WRAP_SHARE * of.modulus_j
        decreased = known & (counts < self.last_j) & ~wrapped
        self.decreases = np.where(known, (self.decreases << 1 | decreased) & _MASK, self.decreases)
        apart_ms = 0 if self.t_ms is None else t_ms - self.t_ms
        flowed_j = np.nan_to_num(np.maximum(power, 0.0)) * apart_ms / 1000.0 * (apart_ms <= of.max_gap_ms)
        self.zero_j = np.where(counts == 0, self.zero_j + flowed_j, np.where(known, 0.0, self.zero_j))
        self.last_j = np.where(known, counts, self.last_j)
        self.t_ms = t_ms

    def _reasons(self, of: CounterColumns, counts: FloatArray) -> Reasons:
        known: BoolArray = np.isfinite(counts)
        found = np.zeros(len(counts), np.uint8)
        found[known & (counts == 0) & (self.zero_j >= STUCK_STEPS * of.steps_j)] = RefusalReason.COUNTER_STUCK
        found[known & (np.bitwise_count(self.decreases) >= 2)] = RefusalReason.COUNTER_DECREASES
        return found
