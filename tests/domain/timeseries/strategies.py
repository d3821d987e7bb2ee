"""Random curves for the properties: irregular times, gaps, declared and default max_gap, negative values."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from app.domain.timeseries.curve import Curve, from_samples

HOUR = 3_600_000
watts = st.floats(-1e5, 1e5, allow_nan=False, allow_subnormal=False).map(lambda x: round(x, 3))
moments = st.integers(-1000, HOUR + 1000)


@st.composite
def curves(draw: st.DrawFn, min_size: int = 0, max_size: int = 25) -> Curve:
    times = draw(st.lists(st.integers(0, HOUR), min_size=min_size, max_size=max_size, unique=True).map(sorted))
    values = draw(st.lists(watts, min_size=len(times), max_size=len(times)))
    tau = draw(st.integers(1, 200_000))
    gap = tau * draw(st.integers(1, 3))
    return from_samples(times, values, tau, gap)


def area_j(curve: Curve, start_ms: int, end_ms: int) -> float:
    """∫|p| dt: the scale against which rounding is measured. An independent, slow reference of the integral."""
    total = 0.0
    for i in np.flatnonzero(curve.linked):
        t0, t1 = int(curve.t_ms[i]), int(curve.t_ms[i + 1])
        a, b = max(t0, start_ms), min(t1, end_ms)
        if a < b:
            top = max(abs(float(curve.v[i])), abs(float(curve.v[i + 1])))
            total += top * (b - a) / 1000
    return total
