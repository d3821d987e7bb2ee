"""A sealed window as bytes: time stamps once, each series by itself, losslessly compressed with pcodec."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from pcodec import ChunkConfig, standalone

from app.store.readings import Times, Values

WINDOW_FRAMES = 8640
LONGEST_WINDOW_MS = 7 * 86_400_000
_CONFIG = ChunkConfig()


def window_ms(interval_ms: int, frames: int = WINDOW_FRAMES) -> int:
    """Length of a chunk's window: a few thousand frames, a day at 10 s; never longer than a week."""
    return min(interval_ms * frames, LONGEST_WINDOW_MS)


def encode(array: Times | Values) -> bytes:
    """int64 or float64 [n], bit for bit, NaN included."""
    return cast("bytes", standalone.simple_compress(np.ascontiguousarray(array), _CONFIG))


def decode_times(data: bytes) -> Times:
    """The int64 that `encode` took."""
    return cast("Times", standalone.simple_decompress(data))


def decode_values(data: bytes) -> Values:
    """The float64 that `encode` took."""
    return cast("Values", standalone.simple_decompress(data))


def pack(values: Values) -> list[bytes]:
    """Rows of float64[n, m] as little-endian bytes."""
    width = 8 * values.shape[1]
    whole = values.astype("<f8", copy=False).tobytes()
    return [whole[i : i + width] for i in range(0, len(whole), width)]


def unpack(rows: Sequence[bytes]) -> Values:
    """float64[n, m] of n ≥ 1 packed rows."""
    return np.frombuffer(b"".join(rows), "<f8").reshape(len(rows), -1).astype(np.float64, copy=False)


@dataclass(frozen=True)
class ColumnFigures:
    """What one series of a chunk adds up to, so that long ranges need not be decoded.

    `integral` [v·s] and `covered_ms` follow the curve rule from the first to the last value: neighbours at most
    max_gap apart are joined by a straight line, else the earlier one holds for τ. What follows the last value
    depends on the next chunk and is left to the reader.
    """

    n: int
    first_t_ms: int
    first_v: float
    last_t_ms: int
    last_v: float
    min_v: float
    max_v: float
    integral: float
    covered_ms: int


def figures(t_ms: Times, v: Values, tau_ms: int, max_gap_ms: int) -> ColumnFigures:
    """Figures of samples without missing ones: int64[n] increasing, float64[n], n ≥ 1."""
    step = np.diff(t_ms)
    linked = step <= max_gap_ms
    covered = np.where(linked, step, np.minimum(step, tau_ms))
    height = np.where(linked, (v[:-1] + v[1:]) / 2, v[:-1])
    return ColumnFigures(
        n=len(v),
        first_t_ms=int(t_ms[0]),
        first_v=float(v[0]),
        last_t_ms=int(t_ms[-1]),
        last_v=float(v[-1]),
        min_v=float(v.min()),
        max_v=float(v.max()),
        integral=float(np.dot(height, covered)) / 1000,
        covered_ms=int(covered.sum()),
    )
