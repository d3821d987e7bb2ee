"""Runs on one axis: power over the fraction of the run time, and the mean of several with its band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.domain.timeseries import Curve, FloatArray, IntArray, bucket_means

PARTS = 200
"""Equal parts of a run in a profile."""


@dataclass(frozen=True, eq=False, slots=True)
class Band:
    """The mean profile of a group, part by part.

    Attributes
    ----------
    n: int64[parts], how many runs are covered there.
    mean: float64[parts], over those; NaN where there is none.
    std: float64[parts], their sample standard deviation (ddof = 1); NaN below two.
    """

    n: IntArray
    mean: FloatArray
    std: FloatArray


def fractions(parts: int = PARTS) -> FloatArray:
    """The middle of each part as a fraction of the run: float64[parts], within 0…1."""
    middles: FloatArray = (np.arange(parts) + 0.5) / parts
    return middles


def profile(curve: Curve, start_ms: int, end_ms: int, parts: int = PARTS) -> FloatArray:
    """Mean power in each of `parts` equal parts of a run, over what is covered of it: float64[parts], else NaN.

    Raises
    ------
    ValueError
        The run has no length.
    """
    if end_ms <= start_ms:
        raise ValueError(f"a run from {start_ms} to {end_ms} has no length")
    return bucket_means(curve, np.linspace(start_ms, end_ms, parts + 1))


def band(profiles: Sequence[FloatArray]) -> Band:
    """The mean of some runs' profiles (all equally long, at least one), and how they scatter around it.

    Where only some of the runs are covered it is the mean of those; `n` says of how many.
    """
    rows = np.array(profiles, np.float64)
    there = np.isfinite(rows)
    n = there.sum(axis=0)
    filled = np.where(there, rows, 0.0)
    mean = np.divide(filled.sum(axis=0), n, out=np.full(n.size, np.nan), where=n > 0)
    off = np.where(there, rows - mean, 0.0)
    variance = np.divide((off**2).sum(axis=0), n - 1, out=np.full(n.size, np.nan), where=n > 1)
    return Band(n.astype(np.int64), mean, np.sqrt(variance))
