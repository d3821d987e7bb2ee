"""Curves day by day: what is kept of past days, and the curve of a month that is joined from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import BoolArray, Curve, FloatArray, IntArray, TimeBase


@dataclass(frozen=True, eq=False)
class DayPoints:
    """The points of a curve on a day, as in `TimeBase`; the last is linked if the curve goes on after the day."""

    t_ms: IntArray
    linked: BoolArray
    is_sample: BoolArray


@dataclass(frozen=True, eq=False)
class DayPiece:
    """The points of a curve on a day, and the value at each: float64[n]."""

    points: DayPoints
    v: FloatArray

    @property
    def max(self) -> float | None:
        """Greatest value; None without points."""
        return float(self.v.max()) if self.v.size else None


def curve_piece(curve: Curve, start_ms: int, end_ms: int) -> DayPiece:
    """Return the points of a curve in [start, end)."""
    first, stop = np.searchsorted(curve.t_ms, [start_ms, end_ms])
    part = slice(int(first), int(stop))
    points = DayPoints(curve.t_ms[part], curve.linked[part], curve.is_sample[part])
    return DayPiece(points, curve.v[part])


def joined_days(pieces: Mapping[str, Sequence[DayPiece]]) -> dict[str, Curve]:
    """Return the curve of each key from its days in order; curves with the same points share their time base.

    The last day ends its curve: its last point is not linked.
    """
    known: dict[int, int] = {}  # each object is looked at once
    numbers: dict[tuple[bytes, ...], int] = {}
    bases: dict[tuple[int, ...], TimeBase] = {}
    found = {}
    for key, days in pieces.items():
        for points in (piece.points for piece in days if id(piece.points) not in known):
            same = points.t_ms.tobytes(), points.linked.tobytes(), points.is_sample.tobytes()
            known[id(points)] = numbers.setdefault(same, len(numbers))
        path = tuple(known[id(piece.points)] for piece in days)
        if path not in bases:
            bases[path] = _time_base([piece.points for piece in days])
        found[key] = Curve(bases[path], np.concatenate([np.empty(0), *(piece.v for piece in days)]))
    return found


def _time_base(days: Sequence[DayPoints]) -> TimeBase:
    nothing = TimeBase.none()
    return TimeBase(
        np.concatenate([nothing.t_ms, *(day.t_ms for day in days)]),
        np.concatenate([nothing.linked, *(day.linked for day in days)]),
        np.concatenate([nothing.is_sample, *(day.is_sample for day in days)]),
    )
