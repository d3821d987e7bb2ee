"""Compute the load of the remaining feeds of a rack when one fails, from the cords at simultaneous times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from app.domain.timeseries import Curve, FloatArray, add, scale, value_at, window


@dataclass(frozen=True, eq=False)
class FailoverCord:
    """One power supply unit of a load: the feed and device that power it, and its power there [W].

    Attributes
    ----------
    load: the node, or the shared supply of several nodes.
    """

    load: str
    feed: str
    device: str
    power: Curve


@dataclass(frozen=True, eq=False)
class FailoverPdu:
    """A PDU: its feed, the power it delivers [W] and the current of each of its lines [A]."""

    device: str
    feed: str
    power: Curve
    lines: Mapping[str, Curve]


@dataclass(frozen=True)
class LinePeak:
    """The highest current of a line [A; NaN if it cannot be computed], and its time."""

    current_a: float
    at_ms: int | None


@dataclass(frozen=True)
class Failover:
    """The facility without one feed.

    Attributes
    ----------
    lines: device → line → the highest current inside the window.
    power_w: device → its highest power.
    lost: loads without enough cords on the remaining feeds, sorted.
    """

    failed: str
    lines: Mapping[str, Mapping[str, LinePeak]]
    power_w: Mapping[str, float]
    lost: tuple[str, ...] = field(default=())


def moves(cords: Sequence[FailoverCord]) -> bool:
    """Whether any load is powered by more than one feed, so that it can move."""
    hung = {(c.load, c.feed) for c in cords}
    return len(hung) > len({load for load, _ in hung})


def fail(
    cords: Sequence[FailoverCord],
    supplies: Sequence[FailoverPdu],
    failed: str,
    start_ms: int,
    end_ms: int,
    needs: Mapping[str, int] = MappingProxyType({}),
) -> Failover:
    """Return the peaks inside the window if `failed` were off all the time.

    Parameters
    ----------
    needs: load → how many cords it needs (the n of its n + m PSUs); one if omitted.

    Notes
    -----
    A load's power on the failed feed moves in equal parts to its remaining cords: power supplies that share a load
    share what is left of it. A load that is lost moves nothing; what its cords carry now stays counted, which is never
    less than what they will. How a PDU's gain spreads over its lines follows from the outlets' lines; where those are
    not declared it spreads as the present load does: I′ = I · (P + ΔP) / P. Source: docs/semantics.md, "Redundancy".
    """
    gains, lost = _gains(cords, failed, needs)
    lines, power = {}, {}
    for supply in supplies:
        if supply.feed == failed:
            continue
        base = window(supply.power, start_ms, end_ms)
        gain = add(gains[supply.device]) if supply.device in gains else scale(base, 0.0)
        before, after = base.v, base.v + value_at(gain, base.t_ms)
        lines[supply.device] = {name: _peak(curve, base, before, after) for name, curve in supply.lines.items()}
        power[supply.device] = float(np.nanmax(after)) if np.isfinite(after).any() else math.nan
    return Failover(failed, lines, power, lost)


def _gains(
    cords: Sequence[FailoverCord], failed: str, needs: Mapping[str, int]
) -> tuple[dict[str, list[Curve]], tuple[str, ...]]:
    """Return the additional power of each device, as curves, and the lost loads."""
    gains: dict[str, list[Curve]] = {}
    lost = []
    for load in sorted({c.load for c in cords}):
        own = [c for c in cords if c.load == load]
        left = [c for c in own if c.feed != failed]
        gone = [c.power for c in own if c.feed == failed]
        if gone and len(left) < max(1, needs.get(load, 1)):
            lost.append(load)
        elif gone:
            part = scale(add(gone), 1.0 / len(left))
            for cord in left:
                gains.setdefault(cord.device, []).append(part)
    return gains, tuple(lost)


def _peak(line: Curve, base: Curve, before: FloatArray, after: FloatArray) -> LinePeak:
    with np.errstate(divide="ignore", invalid="ignore"):
        current = value_at(line, base.t_ms) * np.where(before > 0, after / before, np.nan)
    if not np.isfinite(current).any():
        return LinePeak(math.nan, None)
    top = int(np.nanargmax(current))
    return LinePeak(float(current[top]), int(base.t_ms[top]))
