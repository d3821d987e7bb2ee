"""What is known of the registers of a unit, each with the reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from collectors.contract import Quantity
from collectors.profiles import ByteOrder, Table, WordType
from collectors.tools.registers.numbers import Column, Numbers, RegisterFormat, column
from collectors.tools.registers.relations import LINES, PhaseMatch
from collectors.tools.registers.scan import RegisterScan

_FREQUENCIES_HZ = ((49.5, 50.5), (59.4, 60.6))
_FREQUENCY_SCALES = (1.0, 0.1, 0.01, 0.001)
_UNITS: Mapping[Quantity, str] = {
    Quantity.VOLTAGE: "V",
    Quantity.CURRENT: "A",
    Quantity.POWER: "W",
    Quantity.APPARENT_POWER: "VA",
    Quantity.POWER_FACTOR: "1",
    Quantity.FREQUENCY: "Hz",
    Quantity.ENERGY: "Wh",
}
_ENERGY_SCALES_WH = (1.0, 1000.0, 100.0, 10.0, 0.1, 0.01, 0.001)
_ENERGY_TOLERANCE = 0.05
_LEAST_STEPS = 3
_COUNTERS = (WordType.UINT32, WordType.UINT64, WordType.FLOAT32, WordType.FLOAT64)


@dataclass(frozen=True)
class RegisterFinding:
    """A number of a unit: its place, format, scale to `unit`, value now [unit], and why it is believed to be that.

    `scale` is None where the relations leave the scale open.
    """

    table: Table
    address: int
    form: RegisterFormat
    point: str
    quantity: Quantity
    scale: float | None
    raw: float
    why: str
    stride: int = 0
    lines: int = 1

    @property
    def unit(self) -> str:
        """Unit of the scaled value."""
        return _UNITS[self.quantity]

    @property
    def value(self) -> float | None:
        """Value now [unit]; None if the scale is open."""
        return None if self.scale is None else self.raw * self.scale


def current_scale(match: PhaseMatch, columns: Mapping[RegisterFormat, Column], known_a: float | None) -> float | None:
    """Return amperes per count: 1 for floats; for integers the power of ten that makes the largest line current the one
    that the meter displays, None if that is not known."""
    if match.vi.type.is_float:
        return 1.0
    if known_a is None:
        return None
    raw = max(columns[match.vi].at(match.current + k * match.stride) for k in range(match.lines))
    return float(f"1e{round(math.log10(known_a / raw))}") if raw > 0 and known_a > 0 else None


def findings(
    scan: RegisterScan,
    table: Table,
    match: PhaseMatch,
    columns: Mapping[RegisterFormat, Column],
    known_a: float | None,
) -> Iterator[RegisterFinding]:
    """Yield the numbers of a match, then frequency and energy counters."""
    amps = current_scale(match, columns, known_a)
    watts = None if amps is None else amps * 10.0**match.exponent
    point = "l{channel}" if match.lines == LINES else "total"
    size, wide = match.stride, match.power_stride

    def number(
        form: RegisterFormat,
        address: int,
        quantity: Quantity,
        scale: float | None,
        why: str,
        stride: int,
        at: str = point,
    ) -> RegisterFinding:
        lines = match.lines if at == point else 1
        return RegisterFinding(table, address, form, at, quantity, scale, columns[form].at(address), why, stride, lines)

    product = _product(match)
    yield number(match.vi, match.voltage, Quantity.VOLTAGE, match.voltage_scale, "in the range of mains", size)
    yield number(match.vi, match.current, Quantity.CURRENT, amps, product, size)
    yield number(match.p, match.power, Quantity.POWER, watts, product, wide)
    if match.apparent is not None:
        yield number(match.p, match.apparent, Quantity.APPARENT_POWER, watts, "V · A", wide)
    if match.factor is not None and match.factor_form is not None:
        stride = match.factor_form.type.words if size == match.vi.type.words else size
        yield number(match.factor_form, match.factor, Quantity.POWER_FACTOR, match.factor_scale, "W / (V · A)", stride)
    if match.total is not None:
        yield number(match.p, match.total, Quantity.POWER, watts, "the sum of the lines", wide, "total")
    yield from _frequency(table, match, columns)
    if watts is not None:
        yield from _energies(scan, table, match, columns, watts)


def _product(match: PhaseMatch) -> str:
    shares = " / ".join(f"{factor:.3f}" for factor in match.factors)
    return f"W = V · A × {shares}" + (f", within {100 * match.deviation:.2g} %" if match.deviation > 1e-4 else "")


def _frequency(table: Table, match: PhaseMatch, columns: Mapping[RegisterFormat, Column]) -> Iterator[RegisterFinding]:
    """Yield the frequency if exactly one number near the voltages, in a format of the match, could be it."""
    narrow = RegisterFormat(WordType.UINT16, ByteOrder.BIG, match.vi.swapped)
    for form in dict.fromkeys((match.vi, match.p, narrow)):
        numbers = columns[form]
        seen = {
            numbers.first + int(i): scale
            for scale in (_FREQUENCY_SCALES[:1] if form.type.is_float else _FREQUENCY_SCALES)
            for low, high in _FREQUENCIES_HZ
            for i in ((numbers.values * scale >= low) & (numbers.values * scale <= high)).nonzero()[0]
            if not _taken(match, numbers.first + int(i), form)
        }
        if len(seen) == 1:
            ((address, scale),) = seen.items()
            why = "the only number near 50 or 60 Hz"
            raw, wide = numbers.at(address), form.type.words
            yield RegisterFinding(table, address, form, "total", Quantity.FREQUENCY, scale, raw, why, wide)
        if seen:
            return


def _energies(
    scan: RegisterScan, table: Table, match: PhaseMatch, columns: Mapping[RegisterFormat, Column], watts: float
) -> Iterator[RegisterFinding]:
    """Yield counters that rise as fast as the total power: they never fall, and rise by power × time."""
    passes, span_s = scan.words[table], scan.times_s[-1] - scan.times_s[0]
    if len(passes) < 2 or match.total is None or span_s <= 0:
        return
    rise_wh = abs(columns[match.p].at(match.total)) * watts * span_s / 3600
    ends: set[int] = set()  # a 32-bit counter is also the end of a 64-bit one with nothing above it
    for kind in _COUNTERS:
        form = RegisterFormat(kind, match.p.order, match.p.swapped)
        rows = [column(words, form).values for words in passes]
        rises = rows[-1] - rows[0]
        steady = _never_falls(rows)
        for scale in _ENERGY_SCALES_WH:
            slack_wh = max(_ENERGY_TOLERANCE * rise_wh, 0.0 if kind.is_float else 1.5 * scale)
            enough = rises * scale > 0 if kind.is_float else rises >= _LEAST_STEPS
            near = steady & enough & (abs(rises * scale - rise_wh) <= slack_wh)
            for i in near.nonzero()[0]:
                if int(i) + (kind.words if form.order is ByteOrder.BIG else 0) in ends:
                    continue
                ends.add(int(i) + (kind.words if form.order is ByteOrder.BIG else 0))
                why = f"rose by {rises[i] * scale:,.4g} Wh while power × time was {rise_wh:,.4g} Wh"
                first = column(passes[-1], form).first
                yield RegisterFinding(
                    table, first + int(i), form, "total", Quantity.ENERGY, scale, float(rows[-1][i]), why, kind.words
                )


def _never_falls(rows: Sequence[Numbers]) -> NDArray[np.bool_]:
    steady: NDArray[np.bool_] = np.all([after >= before for before, after in pairwise(rows)], axis=0)
    return steady


def _taken(match: PhaseMatch, address: int, form: RegisterFormat) -> bool:
    """Whether a place overlaps a number of the match."""
    return any(a < address + form.type.words and address < a + size for a, size in _spans(match))


def _spans(match: PhaseMatch) -> Iterable[tuple[int, int]]:
    for start, stride, form in (
        (match.voltage, match.stride, match.vi),
        (match.current, match.stride, match.vi),
        (match.power, match.power_stride, match.p),
    ):
        yield from ((start + k * stride, form.type.words) for k in range(match.lines))
    yield from ((start, match.p.type.words) for start in (match.apparent, match.total) if start is not None)
