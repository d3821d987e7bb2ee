"""How many digits a number has in CSV: nine significant ones; the part before the decimal point is always whole."""

from __future__ import annotations

import math

import numpy as np

from app.store.timeseries import Values

SIGNIFICANT = 9
_BELOW_ONE = 0.999999999


def rounded(x: float) -> float:
    """Return a number with nine significant digits, none before the decimal point lost.

    Nine digits identify every 32-bit float, which is what meters send. A number below 1 never becomes 1, so that a
    coverage with a gap of a millisecond is not complete.
    """
    if not math.isfinite(x) or x == 0.0:
        return x
    found = round(x, max(0, SIGNIFICANT - 1 - math.floor(math.log10(abs(x)))))
    return math.copysign(_BELOW_ONE, x) if abs(x) < 1.0 <= abs(found) else found


def rounded_column(v: Values) -> Values:
    """Return numbers as `rounded` does; NaN stays NaN."""
    size = np.abs(v)
    with np.errstate(divide="ignore", invalid="ignore"):
        digits = SIGNIFICANT - 1 - np.floor(np.log10(size))
        scale = 10.0 ** np.clip(np.where(np.isfinite(digits), digits, 0.0), 0, 22)
        found = np.rint(v * scale) / scale
    found = np.where(np.isfinite(found) & (digits <= 22), found, v)
    return np.where((size < 1.0) & (np.abs(found) >= 1.0), np.copysign(_BELOW_ONE, v), found)
