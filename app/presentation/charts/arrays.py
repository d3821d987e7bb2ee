"""Numbers of a figure as typed arrays, a quarter of the bytes of JSON lists; `charts/figure.js` decodes them."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.domain.timeseries import Curve, FloatArray, IntArray, downsample

MAX_POINTS = 2000
"""Points of one trace; peaks and gaps survive the choice."""

Encoded = dict[str, object]


def values(v: ArrayLike) -> Encoded:
    """Float values, NaN where missing; a matrix keeps its shape."""
    array = np.asarray(v, "<f4")
    encoded = _encode(array)
    return encoded if array.ndim == 1 else encoded | {"shape": list(array.shape)}


def times(t_ms: ArrayLike) -> Encoded:
    """Moments [ms UTC] as offsets from the first one: int32 up to 24 days, else float64."""
    t = np.asarray(t_ms, np.int64)
    x0 = int(t[0]) if t.size else 0
    offsets = t - x0
    fits = not t.size or int(np.abs(offsets).max()) < 2**31
    return _encode(offsets.astype("<i4" if fits else "<f8")) | {"x0_ms": x0}


def polyline(curve: Curve, start_ms: int, end_ms: int, max_points: int = MAX_POINTS) -> tuple[IntArray, FloatArray]:
    """What to draw of a curve in a window: times int64[n] and values float64[n], NaN between runs."""
    return downsample(curve, start_ms, end_ms, max_points)


def _encode(array: NDArray[np.generic]) -> Encoded:
    data = np.ascontiguousarray(array)
    return {"dtype": data.dtype.str[1:], "bdata": base64.b64encode(data.tobytes()).decode("ascii")}
