"""Readings of a collector whose lease has passed on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NEAR = 0.75
"""Share of the nominal interval within which a stored reading covers another one."""


def in_gaps(t_ms: NDArray[np.int64], stored_ms: NDArray[np.int64], tau_ms: int) -> NDArray[np.bool_]:
    """Return for each time whether it lies in a gap of the stored ones.

    Parameters
    ----------
    t_ms: int64[n]. stored_ms: int64[m], sorted. tau_ms: nominal interval of the series.

    Returns
    -------
    bool[n]: no stored time is nearer than 0.75 τ. A device that is polled every τ has a reading within τ/2 of any time,
    and two readings of one poller are τ apart: 0.75 τ is in the middle.
    """
    if not len(stored_ms):
        return np.ones(len(t_ms), np.bool_)
    after = np.searchsorted(stored_ms, t_ms)
    left = np.abs(t_ms - stored_ms[np.maximum(after - 1, 0)])
    right = np.abs(stored_ms[np.minimum(after, len(stored_ms) - 1)] - t_ms)
    far: NDArray[np.bool_] = np.minimum(left, right) >= NEAR * tau_ms
    return far
