"""Recognize voltage, current and power among numbers of unknown meaning by how they depend on each other.

Three numbers in a row that look like mains voltages are combined with every three that could be currents: their
products must be found again as apparent power, or as active power after multiplication with a power factor; and the
powers of the lines must add up to a total. Only one format, and one product of scales, satisfies that for all lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collectors.tools.registers.numbers import Column, Numbers, RegisterFormat

LINES = 3
_MAINS_V = (90.0, 300.0)
"""Line to neutral, from 100 V in Japan to 277 V in the USA."""
_VOLTAGE_SCALES = (1.0, 0.1, 0.01, 0.001)
_UNBALANCE = 0.12
_LEAST_FACTOR, _MOST_FACTOR = 0.2, 1.02
_SUM_TOLERANCE = 0.001
_TOLERANCE = 0.003
"""Of products, besides rounding: a meter does not take all numbers at the same instant."""
_MOST_EXPONENT = 6
_LEAST_DEVIATION = 1e-5
_REACH = 256
"""How many registers apart the quantities of one circuit are, at most."""
_REACH_OF_TOTAL = 512
"""The total may be in another block: 384 registers after the lines in a SATEC PM130."""
_REACH_ONE = 64
_ONE_LINE_TOLERANCE = 0.0025
_LEAST_FLOAT, _MOST_FLOAT = 1e-3, 1e7
_FLOAT_EXPONENTS = (0, 3)
"""Floats are amperes, and watts or kilowatts."""


class RegisterGroups(NamedTuple):
    """The lines of one quantity: the numbers `values[i]` begin at `addresses[i]` and are `stride` registers apart."""

    addresses: NDArray[np.int64]
    stride: int
    values: Numbers

    def pick(self, chosen: NDArray[np.bool_]) -> RegisterGroups:
        """Return some of the groups."""
        return RegisterGroups(self.addresses[chosen], self.stride, self.values[chosen])


@dataclass(frozen=True)
class PhaseMatch:
    """Registers that satisfy the relations. Scales: volts = raw × `voltage_scale`; watts = amperes per count × raw ×
    10^`exponent`.

    `deviation` is the largest relative error of the products; `relations` counts what was confirmed.
    """

    vi: RegisterFormat
    p: RegisterFormat
    lines: int
    stride: int
    power_stride: int
    voltage: int
    voltage_scale: float
    current: int
    power: int
    exponent: int
    deviation: float
    apparent: int | None = None
    factor: int | None = None
    factor_form: RegisterFormat | None = None
    factor_scale: float = 1.0
    total: int | None = None
    factors: tuple[float, ...] = field(default=())

    @property
    def relations(self) -> int:
        """Number of relations confirmed."""
        return sum(found is not None for found in (self.apparent, self.factor, self.total))

    @property
    def rank(self) -> tuple[int, float]:
        """Sort key, best first."""
        return -self.relations, self.deviation


def groups(numbers: Column, stride: int, lines: int = LINES) -> RegisterGroups:
    """Return every `lines` numbers of a column that are `stride` registers apart."""
    count = len(numbers.values) - stride * (lines - 1)
    if count <= 0:
        return RegisterGroups(np.empty(0, dtype=np.int64), stride, np.empty((0, lines)))
    values = np.stack([numbers.values[i * stride : i * stride + count] for i in range(lines)], axis=1)
    known = ~np.isnan(values).any(axis=1)
    return RegisterGroups(np.flatnonzero(known) + numbers.first, stride, values[known])


def mains(found: RegisterGroups, form: RegisterFormat) -> Iterator[tuple[RegisterGroups, float]]:
    """Yield groups that look like mains voltages, with the scale to volts: floats are volts."""
    low, high = found.values.min(axis=1, initial=math.inf), found.values.max(axis=1, initial=0.0)
    even = high - low <= _UNBALANCE * high
    for scale in (1.0,) if form.type.is_float else _VOLTAGE_SCALES:
        chosen = even & (low * scale >= _MAINS_V[0]) & (high * scale <= _MAINS_V[1])
        if chosen.any():
            yield found.pick(chosen), scale


def totals(found: RegisterGroups, numbers: Column) -> list[tuple[int, int]]:
    """Return (index of a group, address of a number that is its sum)."""
    order = np.argsort(numbers.values)
    ordered = numbers.values[order]
    known = int(np.count_nonzero(~np.isnan(ordered)))  # NaN is last
    sums = found.values.sum(axis=1)
    lively = (np.abs(found.values) > 0).sum(axis=1) >= 2
    one_sign = (found.values >= 0).all(axis=1) | (found.values <= 0).all(axis=1)
    pairs: list[tuple[int, int]] = []
    for i in np.flatnonzero(lively & one_sign):
        slack = max(abs(sums[i]) * _SUM_TOLERANCE, 0.0 if numbers.format.type.is_float else 2.0)
        if not numbers.format.type.is_float and abs(sums[i]) < 100:
            continue  # any small numbers add up to another
        at, end = np.searchsorted(ordered[:known], [sums[i] - slack, sums[i] + slack])
        near = order[at:end]
        if len(near):
            best = int(near[np.argmin(np.abs(numbers.values[near] - sums[i]))])
            pairs.append((int(i), best + numbers.first))
    return pairs


def match_lines(
    vi: Column, p: Column, stride: int, power_stride: int, factors: Sequence[Column]
) -> Iterator[PhaseMatch]:
    """Yield all assignments of three-phase voltage, current and power that satisfy the relations."""
    everything, powers = groups(vi, stride), groups(p, power_stride)
    summed = totals(powers, p)
    if not summed:
        return
    volts_found = list(mains(everything, vi.format))
    currents = everything.pick((everything.values >= 0).all(axis=1) & ((everything.values > 0).sum(axis=1) >= 2))
    scaled = [(form.format, groups(form, _factor_stride(form, vi, stride))) for form in factors]
    for volts, scale in volts_found:
        for address, values in zip(volts.addresses, volts.values, strict=True):
            area = _Area(
                int(address), scale, values * scale, _near(currents, address), _near(powers, address),
                [(form, _near(found, address)) for form, found in scaled],
            )  # fmt: skip
            for i, total in summed:
                at = int(powers.addresses[i])
                if abs(at - address) <= _REACH and abs(total - address) <= _REACH_OF_TOTAL:
                    trial = _Trial(vi.format, p.format, stride, power_stride, at, total)
                    yield from _match(trial, area, powers.values[i])


class _Area(NamedTuple):
    """Voltages, and what is near enough to belong to them."""

    voltage: int
    scale: float
    volts: Numbers
    currents: RegisterGroups
    powers: RegisterGroups
    factors: Sequence[tuple[RegisterFormat, RegisterGroups]]


class _Trial(NamedTuple):
    vi: RegisterFormat
    p: RegisterFormat
    stride: int
    power_stride: int
    power: int
    total: int


def _near(found: RegisterGroups, address: int) -> RegisterGroups:
    return found.pick(np.abs(found.addresses - address) <= _REACH)


def _match(trial: _Trial, area: _Area, power: Numbers) -> Iterator[PhaseMatch]:
    products = area.volts * area.currents.values
    with np.errstate(all="ignore"):
        ratios = np.where(products > 0, np.abs(power) / products, np.nan)
        exponents = -np.ceil(np.log10(np.nanmax(ratios, axis=1, initial=1e-30) / _MOST_FACTOR))
        seen = ratios * 10.0 ** exponents[:, None]
    fits = ((seen >= _LEAST_FACTOR) | np.isnan(seen)).all(axis=1) & (np.abs(exponents) <= _MOST_EXPONENT)
    fits &= ((products > 0) == (power != 0)).all(axis=1)
    if trial.p.type.is_float:
        fits &= np.isin(exponents, _FLOAT_EXPONENTS)
    for c in np.flatnonzero(fits):
        current = int(area.currents.addresses[c])
        if _overlap(trial, area.voltage, current):
            continue
        slack = _TOLERANCE + _resolution(trial.vi, area.currents.values[c]) + _resolution(trial.p, power)
        slack += _resolution(trial.vi, area.volts / area.scale)
        apparent = _same(area.powers, trial.p, products[c] / 10.0 ** exponents[c], slack)
        factor = _factor(area.factors, seen[c], slack)
        if apparent is None and factor is None:
            continue
        deviations = [one[1] for one in (apparent, factor and factor[:2]) if one]
        yield PhaseMatch(
            trial.vi, trial.p, LINES, trial.stride, trial.power_stride, area.voltage, area.scale,
            current, trial.power, int(exponents[c]), max(_LEAST_DEVIATION, *deviations),
            apparent[0] if apparent and apparent[0] != trial.power else None,
            factor[0] if factor else None, factor[2] if factor else None, factor[3] if factor else 1.0,
            trial.total, tuple(float(x) for x in seen[c]),
        )  # fmt: skip


def match_one(numbers: Column) -> Iterator[PhaseMatch]:
    """Yield all assignments of one voltage, current, apparent and active power and power factor among floats.

    Integers of one line are not matched: with free scales, some of any hundred numbers agree by chance.
    """
    singles = groups(numbers, 1, 1)
    singles = singles.pick((np.abs(singles.values[:, 0]) > _LEAST_FLOAT) & (np.abs(singles.values[:, 0]) < _MOST_FLOAT))
    for volts, scale in mains(singles, numbers.format):
        for voltage, volt in zip(volts.addresses, volts.values[:, 0] * scale, strict=True):
            near = singles.pick(np.abs(singles.addresses - voltage) <= _REACH_ONE)
            yield from _match_one(numbers.format, int(voltage), float(volt), scale, near)


def _match_one(
    form: RegisterFormat, voltage: int, volt: float, scale: float, near: RegisterGroups
) -> Iterator[PhaseMatch]:
    values = np.abs(near.values[:, 0])
    for c, exponent in product(np.flatnonzero(near.values[:, 0] > 0), _FLOAT_EXPONENTS):
        expected = volt * values[c] / 10.0**exponent
        for s in np.flatnonzero(np.abs(values / expected - 1) < _ONE_LINE_TOLERANCE):
            for p in np.flatnonzero((values < values[s]) & (values > _LEAST_FACTOR * values[s])):
                share = values[p] / values[s]
                off = np.abs(values / share - 1)
                f = int(np.argmin(off))
                at = [voltage, *(int(near.addresses[i]) for i in (c, s, p, f))]
                if off[f] < _ONE_LINE_TOLERANCE and min(abs(x - y) for x, y in combinations(at, 2)) >= form.type.words:
                    worst = max(_LEAST_DEVIATION, abs(values[s] / expected - 1), off[f])
                    wide = form.type.words
                    yield PhaseMatch(
                        form, form, 1, wide, wide, voltage, scale, at[1], at[3], exponent, float(worst), at[2], at[4],
                        form, 1.0, None, (float(share),),
                    )  # fmt: skip


def _overlap(trial: _Trial, voltage: int, current: int) -> bool:
    """Whether two of the quantities would share registers."""
    size, wide = trial.vi.type.words, trial.p.type.words
    spans = [{a + k * trial.stride + w for k in range(LINES) for w in range(size)} for a in (voltage, current)]
    spans.append({trial.power + k * trial.power_stride + w for k in range(LINES) for w in range(wide)})
    spans.append({trial.total + w for w in range(wide)})
    return len(set().union(*spans)) < sum(len(span) for span in spans)


def _resolution(form: RegisterFormat, raw: Numbers) -> float:
    """Return the largest relative rounding error of integers; 0 for floats and for lines without load."""
    loaded = np.abs(raw[raw != 0])
    return 0.0 if form.type.is_float or not len(loaded) else float(0.5 / loaded.min())


def _same(found: RegisterGroups, form: RegisterFormat, wanted: Numbers, slack: float) -> tuple[int, float] | None:
    """Return address and largest deviation of the group that has these values."""
    lively = wanted > 0
    with np.errstate(all="ignore"):
        off = np.abs(np.abs(found.values[:, lively]) / wanted[lively] - 1).max(axis=1, initial=0.0)
    off[(found.values[:, ~lively] != 0).any(axis=1)] = math.inf
    if not len(off):
        return None
    best = int(np.argmin(off))
    near = off[best] < slack + _resolution(form, found.values[best])
    return (int(found.addresses[best]), float(off[best])) if near else None


_FACTOR_SCALES = (0.01, 0.001)


def _factor(
    factors: Sequence[tuple[RegisterFormat, RegisterGroups]], wanted: Numbers, slack: float
) -> tuple[int, float, RegisterFormat, float] | None:
    """Return address, deviation, format and scale of the group that has these power factors."""
    best: tuple[int, float, RegisterFormat, float] | None = None
    known = np.where(np.isnan(wanted), 0.0, wanted)
    for form, found in factors:
        for scale in (1.0,) if form.type.is_float else _FACTOR_SCALES:
            one = _same(found, form, known / scale, slack)
            if one is not None and (best is None or one[1] < best[1]):
                best = (one[0], one[1], form, scale)
    return best


def _factor_stride(form: Column, vi: Column, stride: int) -> int:
    """Power factors are as far apart as their own width, or as the channels are."""
    return form.format.type.words if stride == vi.format.type.words else stride
