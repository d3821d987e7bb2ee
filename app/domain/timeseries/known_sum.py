"""A sum of which some members are missing at times: what is known of it is a lower bound."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.domain.timeseries.concatenate import concatenate_curves, filled
from app.domain.timeseries.curve import Curve, add, gaps, window
from app.domain.timeseries.time_base import TimeBase

Span = tuple[int, int]


def known_sum(curves: Sequence[Curve], start_ms: int, end_ms: int) -> Curve:
    """Return the sum of those members that are covered at each time of a window, defined where any of them is.

    It is a lower bound of the sum of all where no value is negative, and equal to `add` where every member is covered.
    Where a member falls silent or returns, the sum steps within a millisecond.
    Source: docs/semantics.md, "Known in part".
    """
    parts = [window(curve, start_ms, end_ms) for curve in curves]
    parts = [part for part in parts if len(part)]
    if not parts or end_ms <= start_ms:
        return Curve.empty()
    zero = _zero(start_ms, end_ms)
    whole = add([filled(part, zero, start_ms, end_ms)[0] for part in parts])
    silent = [gaps(part, start_ms, end_ms) for part in parts]
    return concatenate_curves([window(whole, a, b) for a, b in _between(_common(silent), start_ms, end_ms)])


def _zero(start_ms: int, end_ms: int) -> Curve:
    base = TimeBase(np.array([start_ms, end_ms], np.int64), np.array([True, False]), np.zeros(2, np.bool_))
    return Curve(base, np.zeros(2))


def _common(groups: Sequence[Sequence[Span]]) -> list[Span]:
    """Return the times that are in a span of every group."""
    found = list(groups[0])
    for group in groups[1:]:
        found = _overlap(found, group)
        if not found:
            break
    return found


def _overlap(first: Sequence[Span], second: Sequence[Span]) -> list[Span]:
    found, i, k = [], 0, 0
    while i < len(first) and k < len(second):
        start, end = max(first[i][0], second[k][0]), min(first[i][1], second[k][1])
        if start < end:
            found.append((start, end))
        if first[i][1] <= second[k][1]:
            i += 1
        else:
            k += 1
    return found


def _between(spans: Sequence[Span], start_ms: int, end_ms: int) -> list[Span]:
    """Return what is left of a window without some spans of it."""
    edges = [start_ms, *(edge for span in spans for edge in span), end_ms]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if a < b]
