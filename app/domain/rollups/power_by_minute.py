"""The power of many racks together, minute by minute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import BoolArray, FloatArray, IntArray
from collectors.contract import MINUTE_MS, SECOND_MS

_MINUTE_S = MINUTE_MS / SECOND_MS


@dataclass(frozen=True, eq=False)
class MinuteMatrix:
    """Minutes of s subjects over one window.

    Attributes
    ----------
    t_ms: int64[n], when each minute begins.
    integral: float64[s, n], ∫v·dt over the covered part [v·s]. covered_ms: int64[s, n].
    is_stored: bool[s], whether every day of the window has minutes of the subject.
    """

    t_ms: IntArray
    integral: FloatArray
    covered_ms: IntArray
    is_stored: BoolArray

    def until(self, end_ms: int) -> MinuteMatrix:
        """Return the minutes that begin before a time."""
        n = int(np.searchsorted(self.t_ms, end_ms))
        return MinuteMatrix(self.t_ms[:n], self.integral[:, :n], self.covered_ms[:, :n], self.is_stored)

    @property
    def is_whole(self) -> BoolArray:
        """bool[s, n]: whether a minute is covered from its begin to its end."""
        whole: BoolArray = self.covered_ms == MINUTE_MS
        return whole


@dataclass(frozen=True, eq=False)
class PowerByMinute:
    """The power of all meters of a site together over n minutes [W].

    Attributes
    ----------
    t_ms: int64[n], when each minute begins.
    mean_w, low_w, high_w: float64[n], NaN where a meter is missing in the minute.
    known_w: float64[n], mean of the sum of what is measured; NaN where nothing is.
    held_w: float64[n], with the last complete minute of each rack where a part of it is missing; NaN without one.
    energy_j, coverage: the sum of the meters' own energies, and covered meter time / meter time.
    missing: rack → bool[n], the minutes in which a part of it is missing; racks without such minutes are omitted.
    """

    t_ms: IntArray
    mean_w: FloatArray
    low_w: FloatArray
    high_w: FloatArray
    known_w: FloatArray
    held_w: FloatArray
    energy_j: float
    coverage: float
    missing: Mapping[str, BoolArray]


def whole_power(t_ms: IntArray, integral: FloatArray, low_w: FloatArray, high_w: FloatArray) -> PowerByMinute:
    """Return the power of minutes in which no meter is missing; `integral` float64[n] [W·s]."""
    mean_w = integral / _MINUTE_S
    return PowerByMinute(t_ms, mean_w, low_w, high_w, mean_w, mean_w, float(integral.sum()), 1.0, {})


def power_by_minute(
    names: Sequence[str], racks: MinuteMatrix, known: MinuteMatrix, meters: Sequence[int]
) -> PowerByMinute:
    """Return the power of racks of which a part may be missing.

    Parameters
    ----------
    racks: the minutes of each rack, covered while all of its meters are. known: the sum of what its meters measured,
        and their mean covered time; blank where the rack has no partly covered minute. meters: how many each has.
    """
    whole, has_known = racks.is_whole, known.covered_ms > 0
    integral = np.where(whole | ~has_known, racks.integral, known.integral)
    covered_ms = np.where(whole | ~has_known, racks.covered_ms, known.covered_ms)
    total = integral.sum(axis=0) / _MINUTE_S
    mean_w = np.where(whole.all(axis=0), total, np.nan)
    weight = np.asarray(meters, np.float64)
    wanted_ms = weight.sum() * MINUTE_MS * racks.t_ms.size
    return PowerByMinute(
        t_ms=racks.t_ms,
        mean_w=mean_w,
        low_w=mean_w,
        high_w=mean_w,
        known_w=np.where(covered_ms.any(axis=0), total, np.nan),
        held_w=_held(racks.integral / _MINUTE_S, whole).sum(axis=0),
        energy_j=float(integral.sum()),
        coverage=float(weight @ covered_ms.sum(axis=1) / wanted_ms) if wanted_ms else 0.0,
        missing={name: ~row for name, row in zip(names, whole, strict=True) if not row.all()},
    )


def _held(mean_w: FloatArray, whole: BoolArray) -> FloatArray:
    """Return float64[s, n]: in each minute that is not whole the last whole one before it, NaN without one."""
    columns = np.arange(mean_w.shape[1])
    last = np.maximum.accumulate(np.where(whole, columns, -1), axis=1)
    held: FloatArray = np.take_along_axis(mean_w, np.maximum(last, 0), axis=1)
    return np.where(last >= 0, held, np.nan)
