"""Compute circuit loads after loads are added or removed or feeds fail, at simultaneous times so peaks coincide."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import BoolArray, Curve, FloatArray, TimeBase, add, scale, value_at, window


@dataclass(frozen=True, eq=False)
class CircuitLoad:
    """A node, or the nodes of one shared supply: its cords as (PDU, power there [W]), and how many cords it needs."""

    key: str
    cords: Sequence[tuple[str, Curve]]
    needs: int = 1


@dataclass(frozen=True, eq=False)
class Addition:
    """A planned load: the PDUs that would power it, and its constant power [W]."""

    key: str
    pdus: Sequence[str]
    power_w: float
    needs: int = 1


@dataclass(frozen=True, eq=False)
class Pdu:
    """A PDU: its power [W], the current of each line [A], and the current that an evenly spread watt adds to a line.

    Attributes
    ----------
    amps_per_watt: of each line [A/W]; NaN where the voltage is not known.
    """

    key: str
    power: Curve
    lines: Mapping[str, Curve]
    amps_per_watt: float = math.nan


@dataclass(frozen=True, eq=False)
class Carried:
    """The computed power of a PDU [W] and current of each line [A]."""

    power: Curve
    lines: Mapping[str, Curve]


@dataclass(frozen=True, eq=False)
class Supposed:
    """The remaining PDUs, and the loads that would lose power, sorted."""

    pdus: Mapping[str, Carried]
    lost: tuple[str, ...]


def suppose(
    pdus: Sequence[Pdu],
    loads: Sequence[CircuitLoad],
    added: Sequence[Addition] = (),
    removed: Collection[str] = (),
    failed: Collection[str] = (),
) -> Supposed:
    """Return the load of the PDUs.

    Parameters
    ----------
    removed: keys of loads. failed: keys of PDUs.

    Notes
    -----
    What a load takes at a failed PDU moves in equal parts to its remaining cords, if enough of them are left to carry
    it; else it is lost, and what it takes elsewhere stays counted, which is never less than what it will. Loads that
    are there change a line as they change the PDU, I′ = I · (P + ΔP) / P, as far as P > 0; what is added, and what
    moves to an idle PDU, spreads evenly. Source: docs/semantics.md, "Redundancy".
    """
    moved: dict[str, list[Curve]] = {}
    lost: list[str] = []
    for load in loads:
        if load.key in removed:
            for pdu, power in load.cords:
                moved.setdefault(pdu, []).append(scale(power, -1.0))
        elif any(pdu in failed for pdu, _ in load.cords):
            left = [pdu for pdu, _ in load.cords if pdu not in failed]
            if len(left) < max(1, load.needs):
                lost.append(load.key)
                continue
            part = scale(add([power for pdu, power in load.cords if pdu in failed]), 1.0 / len(left))
            for pdu in left:
                moved.setdefault(pdu, []).append(part)
    fixed, unfed = _fixed(added, failed)
    found = {pdu.key: _carried(pdu, moved.get(pdu.key, ()), fixed[pdu.key]) for pdu in pdus if pdu.key not in failed}
    return Supposed(found, tuple(sorted([*lost, *unfed])))


def _fixed(added: Sequence[Addition], failed: Collection[str]) -> tuple[Mapping[str, float], list[str]]:
    """Return the power that additions add to each PDU [W], and the additions that would have no power."""
    fixed: dict[str, float] = defaultdict(float)
    unfed = []
    for one in added:
        left = [pdu for pdu in one.pdus if pdu not in failed]
        if one.pdus and len(left) < max(1, one.needs):
            unfed.append(one.key)
            continue
        for pdu in left:
            fixed[pdu] += one.power_w / len(left)
    return fixed, unfed


def _carried(pdu: Pdu, moved: Sequence[Curve], added_w: float) -> Carried:
    change = add(moved) if moved else scale(pdu.power, 0.0)
    t_ms = pdu.power.t_ms
    before, delta = pdu.power.v, value_at(change, t_ms)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(before > 0, np.maximum(before + delta, 0.0) / before, np.nan)
    lines = {}
    for name, line in pdu.lines.items():
        amps = value_at(line, t_ms)
        evenly = amps + delta * pdu.amps_per_watt if moved else amps
        known = np.where(before > 0, amps * factor, evenly)
        lines[name] = _on(pdu.power, known + (added_w * pdu.amps_per_watt if added_w else 0.0))
    return Carried(_on(pdu.power, before + delta + added_w), lines)


def _on(base: Curve, v: FloatArray) -> Curve:
    """Return a curve on the time base of another one, with gaps where a value is missing."""
    known: BoolArray = np.isfinite(v)
    linked = base.linked & known
    linked[:-1] &= known[1:]
    whole = Curve(TimeBase(base.t_ms, linked, base.is_sample), np.where(known, v, 0.0))
    return window(whole, int(base.t_ms[0]), int(base.t_ms[-1])) if len(base) else whole
