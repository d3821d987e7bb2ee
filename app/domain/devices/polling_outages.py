"""Compute when a device did not answer, from the times of its failed polls."""

from __future__ import annotations

from collections.abc import Iterable

Stretch = tuple[int, int]
"""From … to [ms]."""


def outages(failed_ms: Iterable[int], patience_ms: int, lasts_ms: int) -> list[Stretch]:
    """Return the intervals in which every poll failed.

    Parameters
    ----------
    failed_ms: times of failed polls, increasing.
    patience_ms: two failures at most this far apart belong together: a failing device is polled less and less often,
        at most at this interval.
    lasts_ms: duration of one failed poll: the interval of the device.
    """
    found: list[Stretch] = []
    for t_ms in failed_ms:
        if found and t_ms - (found[-1][1] - lasts_ms) <= patience_ms:
            found[-1] = (found[-1][0], max(found[-1][1], t_ms + lasts_ms))
        else:
            found.append((t_ms, t_ms + lasts_ms))
    return found


def covered_ms(stretches: Iterable[Stretch], start_ms: int, end_ms: int) -> int:
    """Return how much of [start, end) the intervals cover together; they may overlap."""
    total, reached = 0, start_ms
    for a, b in sorted(stretches):
        a, b = max(a, reached), min(b, end_ms)
        if b > a:
            total, reached = total + b - a, b
    return total
