"""Concatenate curves in time: consecutive pieces, and sums whose members change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from app.domain.timeseries.curve import Curve, add, gaps, window
from app.domain.timeseries.time_base import BoolArray, FloatArray, IntArray, TimeBase

STEP_MS = 1
"""Where two pieces touch, the curve steps from one to the other within this time [ms]."""


@dataclass(frozen=True, slots=True)
class Member:
    """A curve that belongs to a sum inside [start_ms, end_ms]."""

    curve: Curve
    start_ms: int
    end_ms: int


def concatenate_curves(pieces: Sequence[Curve]) -> Curve:
    """Return consecutive curves as one. Where two touch, the later one begins a millisecond later.

    Raises
    ------
    ValueError
        Pieces overlap by more than a millisecond, or are not in time order.
    """
    parts: list[Curve] = []
    for piece in pieces:
        part, before = piece, parts[-1] if parts else None
        if before is not None and len(part) and part.t_ms[0] <= before.t_ms[-1]:
            if part.t_ms[0] < before.t_ms[-1]:
                raise ValueError("pieces must follow one another")
            part = window(part, int(before.t_ms[-1]) + STEP_MS, int(part.t_ms[-1]))
        if len(part):
            parts.append(part)
    if not parts:
        return Curve.empty()
    if len(parts) == 1:
        return parts[0]
    t, v, linked, is_sample = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("t_ms", "v", "linked", "is_sample")
    )
    seams = np.cumsum([len(part) for part in parts[:-1]], dtype=np.int64) - 1
    linked[seams] = t[seams + 1] - t[seams] == STEP_MS
    return Curve(TimeBase(t, linked, is_sample), v)


def sum_while_present(members: Sequence[Member]) -> Curve:
    """Return the sum of the members present at each time, defined where all of those are covered."""
    edges = sorted({edge for m in members for edge in (m.start_ms, m.end_ms) if m.start_ms < m.end_ms})
    pieces = []
    for start_ms, end_ms in pairwise(edges):
        present = [m.curve for m in members if m.start_ms <= start_ms and end_ms <= m.end_ms]
        pieces.append(window(add(present), start_ms, end_ms))
    return concatenate_curves(pieces)


def filled(curve: Curve, other: Curve, start_ms: int, end_ms: int) -> tuple[Curve, list[tuple[int, int]]]:
    """Return the curve inside the window with its gaps filled from another one, and the filled intervals [ms]."""
    pieces, taken = [], []
    at = start_ms
    for gap_start, gap_end in gaps(curve, start_ms, end_ms):
        pieces.append(window(curve, at, gap_start))
        first = gap_start + STEP_MS if len(pieces[-1]) and pieces[-1].t_ms[-1] == gap_start else gap_start
        patch = window(other, first, gap_end)
        if len(patch):
            pieces.append(patch)
            taken.append((int(patch.t_ms[0]), int(patch.t_ms[-1])))
        at = gap_end
    pieces.append(window(curve, at, end_ms))
    return concatenate_curves(pieces), taken


def concatenate_steps(edges_ms: IntArray, v: FloatArray, known: BoolArray) -> Curve:
    """Return a step curve: v[i] from edges[i] to edges[i + 1] where known, with a sample at the start of each step.

    Where two intervals touch it steps within the last millisecond of the first one: over a stretch without a gap its
    integral differs from Σ v · Δt by half a millisecond of its last value less its first.
    """
    start, end = edges_ms[:-1][known], edges_ms[1:][known]
    if not start.size:
        return Curve.empty()
    touch = np.append(start[1:] == end[:-1], False)
    t = np.stack([start, np.where(touch, end - STEP_MS, end)], axis=1).ravel()
    linked = np.stack([np.ones_like(touch), touch], axis=1).ravel()
    keep = np.insert(np.diff(t) > 0, 0, True)  # an interval of a millisecond is its begin alone
    is_sample = np.tile(np.array([True, False]), start.size)
    return Curve(TimeBase(t[keep], linked[keep], is_sample[keep]), np.repeat(v[known], 2)[keep])
