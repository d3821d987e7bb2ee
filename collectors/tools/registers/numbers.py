"""Every number that registers could hold: their words in each type and order, as arrays over the addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from collectors.profiles import ByteOrder, WordType

Numbers = NDArray[np.float64]
_LARGEST = 1e12


class RegisterFormat(NamedTuple):
    """Type and order of numbers; `swapped`: the two bytes of each word are exchanged as well."""

    type: WordType
    order: ByteOrder = ByteOrder.BIG
    swapped: bool = False

    @property
    def label(self) -> str:
        """`float32`, `int32, low word first`, `float32, bytes swapped`."""
        parts = [self.type.value]
        if self.order is ByteOrder.LITTLE and self.type.words > 1:
            parts.append("low word first")
        return ", ".join([*parts, "bytes swapped"] if self.swapped else parts)


class Column(NamedTuple):
    """The number at each address of a table in one format; NaN where it has none."""

    format: RegisterFormat
    first: int
    values: Numbers

    def at(self, address: int) -> float:
        """Return the number at an address; NaN where there is none."""
        i = address - self.first
        return float(self.values[i]) if 0 <= i < len(self.values) else float("nan")


def column(words: Mapping[int, int], form: RegisterFormat) -> Column:
    """Return the numbers of a table in one format."""
    if not words:
        return Column(form, 0, np.empty(0))
    first, last = min(words), max(words)
    size = form.type.words
    padded = np.zeros(last - first + 1 + size, dtype=np.uint16)
    known = np.zeros(len(padded), dtype=bool)
    for address, word in words.items():
        padded[address - first] = word
        known[address - first] = True
    if form.swapped:
        padded = padded.byteswap()
    length = last - first + 1
    runs = [padded[i : i + length] for i in range(size)]
    whole = np.logical_and.reduce([known[i : i + length] for i in range(size)])
    ordered = runs if form.order is ByteOrder.BIG else runs[::-1]
    raw = np.stack(ordered, axis=1).astype(">u2").tobytes()
    with np.errstate(invalid="ignore", over="ignore"):
        values = np.frombuffer(raw, dtype=_DTYPE[form.type]).astype(np.float64)
    usable = whole & np.isfinite(values) & (np.abs(values) < _LARGEST)
    return Column(form, first, np.where(usable, values, np.nan))


def formats(types: tuple[WordType, ...]) -> Iterator[RegisterFormat]:
    """Yield these types in every order that differs."""
    for kind in types:
        for swapped in (False, True):
            for order in ByteOrder if kind.words > 1 else (ByteOrder.BIG,):
                yield RegisterFormat(kind, order, swapped)


_DTYPE: Mapping[WordType, str] = {
    WordType.INT16: ">i2",
    WordType.UINT16: ">u2",
    WordType.INT32: ">i4",
    WordType.UINT32: ">u4",
    WordType.INT64: ">i8",
    WordType.UINT64: ">u8",
    WordType.FLOAT32: ">f4",
    WordType.FLOAT64: ">f8",
}
