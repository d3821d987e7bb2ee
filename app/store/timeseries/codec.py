"""Encode a sealed window: time stamps once, each series separately, losslessly compressed with pcodec.

A reading is a multiple of the device's resolution, and polls have a fixed interval: both are stored as small integers
where that is lossless, which takes a tenth less than floats and time stamps.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from pcodec import ChunkConfig, standalone

from app.store.timeseries.readings import Times, Values
from collectors.contract import DAY_MS

WINDOW_FRAMES = 8640
LONGEST_WINDOW_MS = 7 * DAY_MS
_WIDE = 40
_CONFIG = ChunkConfig()
_MISSING = -(1 << 31)
_WHOLE = struct.Struct("<cdd")
_BEAT = struct.Struct("<cqqI")
_SCALES = [(1.0, 1.0), *((1.0, 10.0**k) for k in (1, 2, 3)), *((10.0**-k, 1.0) for k in (1, 2, 3))]
"""A value is a whole number times the first, divided by the second: `raw * 0.1` is not always `raw / 10`."""


def window_ms(interval_ms: int, width: int = _WIDE, frames: int | None = None) -> int:
    """Return the length of a chunk's window: 8,640 frames, a day at 10 s; more for few series, up to a day.

    Never longer than a week. With few series the overhead of a chunk matters most; with many series the unsealed
    frames, which take several times the space.
    """
    if frames is not None:
        return min(interval_ms * frames, LONGEST_WINDOW_MS)
    usual = min(interval_ms * WINDOW_FRAMES, LONGEST_WINDOW_MS)
    return max(usual, min(interval_ms * (WINDOW_FRAMES * _WIDE // width), DAY_MS))


def encode(array: Times | Values) -> bytes:
    """Encode int64[n] or float64[n] losslessly, NaN included."""
    if array.dtype == np.float64:
        values = cast("Values", array)
        for scale in _SCALES:
            if (whole := _as_whole(values, *scale)) is not None:
                return _WHOLE.pack(b"w", *scale) + _compress(whole)
    return _compress(array)


def encode_times(t_ms: Times) -> bytes:
    """Encode increasing int64[n] times, at a fixed interval or not."""
    plain = _compress(t_ms)
    if len(t_ms) < 3:
        return plain
    beat_ms = int(np.median(np.diff(t_ms)))
    count = np.rint((t_ms - t_ms[0]) / beat_ms).astype(np.int64)
    late = _compress(t_ms - t_ms[0] - beat_ms * count)
    on_beat = _BEAT.pack(b"b", int(t_ms[0]), beat_ms, len(late)) + late + _compress(count)
    return min(plain, on_beat, key=len)


def decode_times(data: bytes) -> Times:
    """Return the int64[n] that `encode` or `encode_times` encoded."""
    if data[:1] != b"b":
        return cast("Times", standalone.simple_decompress(data))
    _, first_ms, beat_ms, length = _BEAT.unpack_from(data)
    late = standalone.simple_decompress(data[_BEAT.size : _BEAT.size + length])
    count = standalone.simple_decompress(data[_BEAT.size + length :])
    return cast("Times", first_ms + beat_ms * count + late)


def decode_values(data: bytes, part: slice = slice(None)) -> Values:
    """Return the float64[n] that `encode` encoded, or some of them."""
    if data[:1] != b"w":
        return cast("Values", standalone.simple_decompress(data)[part])
    _, times, over = _WHOLE.unpack_from(data)
    return _from_whole(standalone.simple_decompress(data[_WHOLE.size :])[part], times, over)


def _compress(array: NDArray[np.generic]) -> bytes:
    return cast("bytes", standalone.simple_compress(np.ascontiguousarray(array), _CONFIG))


def _as_whole(values: Values, times: float, over: float) -> NDArray[np.int32] | None:
    """Return integers that decode to exactly these values; None if there are none."""
    for part in (values[:16], values):  # most scales fail at once
        with np.errstate(invalid="ignore", over="ignore"):
            number = np.rint(part * (over / times))
            whole = np.where(np.abs(number) < -_MISSING, number, _MISSING).astype(np.int32)
        if _from_whole(whole, times, over).tobytes() != part.tobytes():
            return None
    return whole


def _from_whole(whole: NDArray[np.int32], times: float, over: float) -> Values:
    values = whole.astype(np.float64)
    if times != 1.0:
        values *= times
    if over != 1.0:
        values /= over
    if len(whole) and whole.min() == _MISSING:
        values[whole == _MISSING] = np.nan
    return values


def pack(values: Values) -> list[bytes]:
    """Return the rows of float64[n, m] as little-endian bytes."""
    width = 8 * values.shape[1]
    whole = values.astype("<f8", copy=False).tobytes()
    return [whole[i : i + width] for i in range(0, len(whole), width)]


def unpack(packed: bytes | bytearray, rows: int) -> Values:
    """Return float64[n, m] of n ≥ 1 packed rows, one after another."""
    return np.frombuffer(packed, "<f8").reshape(rows, -1).astype(np.float64, copy=False)


@dataclass(frozen=True)
class ColumnFigures:
    """Totals of one series of a chunk, so that long ranges need not be decoded.

    `integral` [v·s] and `covered_ms` follow the curve rule from the first to the last value: neighbours at most
    max_gap apart are joined by a straight line, else the earlier one holds for τ. What follows the last value
    depends on the next chunk and is left to the reader.
    """

    count: int
    first_t_ms: int
    first_v: float
    last_t_ms: int
    last_v: float
    min_v: float
    max_v: float
    integral: float
    covered_ms: int


def figures(t_ms: Times, v: Values, tau_ms: int, max_gap_ms: int) -> ColumnFigures:
    """Return the totals of samples without missing values: int64[n] increasing, float64[n], n ≥ 1."""
    step = np.diff(t_ms)
    linked = step <= max_gap_ms
    covered = np.where(linked, step, np.minimum(step, tau_ms))
    height = np.where(linked, (v[:-1] + v[1:]) / 2, v[:-1])
    return ColumnFigures(
        count=len(v),
        first_t_ms=int(t_ms[0]),
        first_v=float(v[0]),
        last_t_ms=int(t_ms[-1]),
        last_v=float(v[-1]),
        min_v=float(v.min()),
        max_v=float(v.max()),
        integral=float((height * covered).sum()) / 1000,
        covered_ms=int(covered.sum()),
    )
