"""The power of the facility over its last day: what was measured, and what the missing part drew last."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.energy import LAST_KNOWN_MS, energy_j, statistics
from app.domain.rollups import PowerByMinute
from app.domain.timeseries import Curve, FloatArray, IntArray, TimeWindow, add, coverage, from_samples, value_at, window
from app.presentation.charts import PENDING_MS, holes
from collectors.contract import HOUR_MS, MINUTE_MS

MIN_PARTIAL_SHARE = 0.01
"""A shorter stretch of the window without a total is a plain gap."""
MOST_POINTS = 600


@dataclass(frozen=True)
class PartialDay:
    """The stretches of a window in which a member is missing.

    Attributes
    ----------
    t_ms: int64[n], NaN values between stretches. known_w: float64[n], sum of the members with readings.
    held_w: float64[n], with the last value of each missing member, not older than 24 h.
    silent: the members that are missing in the stretch `longest` [ms]: the one up to now, else the longest.
    """

    t_ms: IntArray
    known_w: FloatArray
    held_w: FloatArray
    silent: Sequence[str]
    longest: tuple[int, int]

    @property
    def max_w(self) -> tuple[float, int] | None:
        """Return the highest known sum and its time; a lower bound of the maximum."""
        if not np.isfinite(self.known_w).any():
            return None
        at = int(np.nanargmax(self.known_w))
        return float(self.known_w[at]), int(self.t_ms[at])


def partial_day(total: Curve, members: Mapping[str, Curve], view: TimeWindow) -> PartialDay | None:
    """Return what is known where some members are missing; None where that is short.

    Parameters
    ----------
    total: the sum of the members, defined where each is covered. members: name → curve [W].
    """
    missing = [gap for gap in holes(total, view) if gap[1] - gap[0] >= MIN_PARTIAL_SHARE * view.length_ms]
    known = [gap for gap in missing if _is_known(members.values(), *gap)]
    if not known:
        return None
    each = max(6, MOST_POINTS // len(known))
    grids = [np.linspace(a, b, max(6, min(each, (b - a) // MINUTE_MS))).astype(np.int64) for a, b in known]
    t = np.concatenate(grids)
    own = np.array([value_at(curve, t) for curve in members.values()])
    last = np.array([_last(curve, t) for curve in members.values()])
    is_known = np.isfinite(own)
    some = is_known.any(axis=0)
    known_w = np.where(some, np.where(is_known, own, 0.0).sum(axis=0), np.nan)
    held = np.where(is_known, own, last)
    held_w = np.where(some & np.isfinite(held).all(axis=0), held.sum(axis=0), np.nan)
    now = [gap for gap in known if gap[1] >= view.end_ms]
    longest = max(now or known, key=lambda gap: gap[1] - gap[0])
    inside = (t > longest[0]) & (t < longest[1])
    silent = [name for name, row in zip(members, is_known, strict=True) if not row[inside].all()]
    ends = np.cumsum([len(grid) for grid in grids])[:-1]
    return PartialDay(
        np.insert(t, ends, t[ends - 1] + 1), np.insert(known_w, ends, np.nan), np.insert(held_w, ends, np.nan),
        silent, longest,
    )  # fmt: skip


def _is_known(curves: Iterable[Curve], start_ms: int, end_ms: int) -> bool:
    return any(len(window(curve, start_ms, end_ms)) > 1 for curve in curves)


def _last(curve: Curve, t_ms: IntArray) -> FloatArray:
    """Return the last value before each time, not older than 24 h; NaN without one."""
    if not len(curve):
        return np.full(t_ms.shape, np.nan)
    i = np.searchsorted(curve.t_ms, t_ms, "right") - 1
    is_recent = (i >= 0) & (t_ms - curve.t_ms[i] <= LAST_KNOWN_MS)
    return np.where(is_recent, curve.v[i], np.nan)


@dataclass(frozen=True)
class DayPower:
    """The power of all meters together over a window [W].

    Attributes
    ----------
    total: where no meter is missing; of minutes through their extremes. partial: where some are.
    max_w, max_at_ms: the highest sum, or the highest known part of it; None where nothing was measured.
    energy_j, coverage: the sum of the meters' own energies; covered meter time / meter time.
    delta_hour_w: the last power less that of an hour before; of minutes of their means. None where one is not known.
    names: what `partial.silent` is among.
    """

    view: TimeWindow
    total: Curve
    partial: PartialDay | None
    max_w: float | None
    max_at_ms: int | None
    energy_j: float
    coverage: float
    delta_hour_w: float | None
    names: Sequence[str]


def day_of_members(members: Mapping[str, Curve], view: TimeWindow) -> DayPower:
    """Return the day of meters whose curves are known: name → curve."""
    total = add(list(members.values()))
    found = statistics(total, view.start_ms, view.end_ms)
    partial = partial_day(total, members, view)
    each = members.values()
    return DayPower(
        view,
        total,
        partial,
        *_highest(found.max, found.max_at_ms, partial),
        energy_j=sum(energy_j(curve, view.start_ms, view.end_ms) for curve in each),
        coverage=sum(coverage(curve, view.start_ms, view.end_ms) for curve in each) / len(members) if members else 0.0,
        delta_hour_w=_delta_hour(total, view),
        names=list(members),
    )


def _delta_hour(total: Curve, view: TimeWindow) -> float | None:
    end_ms = min(total.end_ms or 0, view.end_ms)
    if view.end_ms - end_ms > PENDING_MS:
        return None
    then, last = value_at(total, [end_ms - HOUR_MS, end_ms]).tolist()
    return None if math.isnan(last - then) else last - then


def day_of_minutes(power: PowerByMinute, racks: Sequence[str], view: TimeWindow) -> DayPower:
    """Return the day of a site by its minutes; `racks` are its members."""
    whole = np.isfinite(power.mean_w)
    total = _through_extremes(power.t_ms[whole], power.low_w[whole], power.high_w[whole])
    partial = _partial_minutes(power, total, view)
    top = int(np.argmax(power.high_w[whole])) if whole.any() else 0
    max_w = float(power.high_w[whole][top]) if whole.any() else math.nan
    max_at_ms = int(power.t_ms[whole][top]) if whole.any() else None
    back = HOUR_MS // MINUTE_MS
    delta_w = power.mean_w[-1] - power.mean_w[-1 - back] if len(power.t_ms) > back else math.nan
    return DayPower(
        view,
        total,
        partial,
        *_highest(max_w, max_at_ms, partial),
        energy_j=power.energy_j,
        coverage=power.coverage,
        delta_hour_w=None if math.isnan(delta_w) else float(delta_w),
        names=racks,
    )


def _through_extremes(t_ms: IntArray, low_w: FloatArray, high_w: FloatArray) -> Curve:
    """Return a curve with the lowest and the highest value of each minute."""
    t = (t_ms[:, None] + np.array([0, MINUTE_MS // 2])).ravel()
    return from_samples(t, np.stack([low_w, high_w], axis=1).ravel(), MINUTE_MS // 2, MINUTE_MS // 2)


def _partial_minutes(power: PowerByMinute, total: Curve, view: TimeWindow) -> PartialDay | None:
    missing = [gap for gap in holes(total, view) if gap[1] - gap[0] >= MIN_PARTIAL_SHARE * view.length_ms]
    inside = [(power.t_ms >= a) & (power.t_ms < b) for a, b in missing]
    known = [(gap, rows) for gap, rows in zip(missing, inside, strict=True) if np.isfinite(power.known_w[rows]).any()]
    if not known:
        return None
    t = [power.t_ms[rows] for _, rows in known]
    known_w, held_w = ([array[rows] for _, rows in known] for array in (power.known_w, power.held_w))
    last = [gap for gap, _ in known if gap[1] >= view.end_ms]
    longest = max(last or [gap for gap, _ in known], key=lambda gap: gap[1] - gap[0])
    within = (power.t_ms >= longest[0]) & (power.t_ms < longest[1])
    silent = [rack for rack, rows in power.missing.items() if rows[within].any()]
    return _joined(t, known_w, held_w, silent, longest)


def _joined(
    t_ms: Sequence[IntArray],
    known_w: Sequence[FloatArray],
    held_w: Sequence[FloatArray],
    silent: Sequence[str],
    longest: tuple[int, int],
) -> PartialDay:
    """Return stretches as one, with NaN between them."""
    t, ends = np.concatenate(t_ms), np.cumsum([len(part) for part in t_ms])[:-1]
    known, held = (np.insert(np.concatenate(parts), ends, np.nan) for parts in (known_w, held_w))
    return PartialDay(np.insert(t, ends, t[ends - 1] + 1), known, held, silent, longest)


def _highest(max_w: float, at_ms: int | None, partial: PartialDay | None) -> tuple[float | None, int | None]:
    """Return the maximum of the whole sum, or that of its known part where it is higher."""
    known = partial.max_w if partial else None
    if known is not None and (math.isnan(max_w) or known[0] > max_w):
        return known
    return (None, None) if math.isnan(max_w) else (max_w, at_ms)
