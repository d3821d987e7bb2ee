"""Store many values as counts of few levels: a day in a few hundred bytes, from which quantiles of months follow.

A level contains all values within half a per cent of one value. Levels are the same for all days and subjects, so
that sketches can be added. Source: Masson, Rim, Lee, "DDSketch", VLDB 2019.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.domain.timeseries import FloatArray, IntArray

ACCURACY = 0.005
"""How far a value may be from the one its level stands for, relative to it."""
_RATIO = (1 + ACCURACY) / (1 - ACCURACY)
_SMALLEST = 1e-3
"""Below it is zero."""
_FIRST = 1 - math.ceil(math.log(_SMALLEST) / math.log(_RATIO))

Levels = NDArray[np.int16]


def levels(values: FloatArray) -> Levels:
    """Return the level of each value, in the order of the values; finite values up to 1e9."""
    steps = np.abs(values)
    is_zero = steps < _SMALLEST
    np.maximum(steps, _SMALLEST, out=steps)  # in place: new large arrays cost more than the logarithm
    np.log(steps, out=steps)
    steps /= math.log(_RATIO)
    np.ceil(steps, out=steps)
    steps += _FIRST
    np.copysign(steps, values, out=steps)
    steps[is_zero] = 0.0
    found: Levels = steps.astype(np.int16)
    return found


def level_values(of: NDArray[np.integer]) -> FloatArray:
    """Return the value of each level."""
    steps = np.abs(of.astype(np.float64)) - _FIRST
    found: FloatArray = np.where(of == 0, 0.0, np.sign(of) * 2.0 / (_RATIO + 1.0) * _RATIO**steps)
    return found


def sketch(values: FloatArray, weights: IntArray) -> tuple[Levels, IntArray]:
    """Return the levels that occur, increasing, and the weight of each."""
    found, at = np.unique(levels(values), return_inverse=True)
    return found, np.bincount(at, weights, len(found)).astype(np.int64)


def sketch_quantiles(
    owner: IntArray, of: Levels, weights: NDArray[np.integer], owners: int, q: Sequence[float]
) -> FloatArray:
    """Return quantiles of the sums of many sketches.

    Parameters
    ----------
    owner: int[n], whose each level is: 0 … owners − 1. of: int16[n]. weights: int[n].

    Returns
    -------
    float64[owners, len(q)], within `ACCURACY` of the smallest value such that at least q of the weight is at or below
    it; NaN where there is no weight.
    """
    if not of.size:
        return np.full((owners, len(q)), np.nan)
    lowest, span = int(of.min()), int(of.max()) - int(of.min()) + 1
    cells = owner * span + (of.astype(np.int64) - lowest)
    below = np.bincount(cells, weights, owners * span).reshape(owners, span).cumsum(axis=1)
    wanted = [(below < (each * below[:, -1] * (1.0 - 1e-12))[:, None]).sum(axis=1) for each in q]
    found = level_values(np.stack(wanted, axis=1) + lowest)
    return np.where(below[:, -1:] > 0, found, np.nan)
