"""The trend of daily maxima."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LEAST_DAYS = 7
"""A week: with fewer days the difference between working days and weekends would be a trend."""
TREND_DAYS = 30


def peak_trend(daily: Sequence[float | None]) -> float | None:
    """Return by how much daily maxima change in 30 days: 30 times the median of the slopes between all pairs of days.

    Parameters
    ----------
    daily: maximum of each day, in their order; None where the day is not known.

    Returns
    -------
    In the unit of the maxima; None with fewer than seven known days.

    References
    ----------
    P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, J. Am. Stat. Assoc. 63 (1968) 1379.
    """
    known = [(day, value) for day, value in enumerate(daily) if value is not None]
    if len(known) < LEAST_DAYS:
        return None
    day, value = np.array(known).T
    first, second = np.triu_indices(len(known), 1)
    return float(TREND_DAYS * np.median((value[second] - value[first]) / (day[second] - day[first])))
