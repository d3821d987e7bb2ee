"""A shared node's power divided among the jobs that hold it, without remainder.

Σ jobs + idle + unattributed = node in every interval, hence over every window.
Source: docs/semantics.md, "Jobs on shared nodes".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.domain.jobs.fair_share import core_shares, fair_shares
from app.domain.timeseries import (
    BoolArray,
    Curve,
    FloatArray,
    IntArray,
    bucket_means,
    bucket_sums,
    concatenate_steps,
    window,
)


@dataclass(frozen=True, slots=True)
class AttributedAllocation:
    """What a job holds of a node in [start_ms, end_ms).

    Attributes
    ----------
    gpus: GPU point → share of it, 1 for a whole GPU, less for slices (MIG); {} for none; None: not reported.
    cores: allocated cores; None: not reported.
    exclusive: the job holds the whole node, whatever it uses of it.

    Notes
    -----
    None means the rest: everything that no other job is reported to hold at that time. Where several jobs report
    nothing, that rest cannot be divided and is unattributed. A job that reports nothing and is alone holds everything.
    """

    job: str
    start_ms: int
    end_ms: int
    gpus: Mapping[str, float] | None = None
    cores: int | None = None
    exclusive: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class EnergyShare:
    """What a job gets, in the m intervals from number `first` on.

    Attributes
    ----------
    gpu_j, residual_j: float64[m], of the GPUs it holds and of all else [J].
    held: bool[m], it holds something of the node.
    known: bool[m], the node is covered and at least a part of the share is known; elsewhere the share is no number.
    whole: bool[m], no part of it is missing (it went to unattributed).
    """

    first: int
    gpu_j: FloatArray
    residual_j: FloatArray
    held: BoolArray
    known: BoolArray
    whole: BoolArray

    @property
    def energy_j(self) -> FloatArray:
        """GPUs and all else: float64[m] [J]."""
        return self.gpu_j + self.residual_j


@dataclass(frozen=True, eq=False, slots=True)
class Attribution:
    """The energy of a node divided among jobs, in n consecutive intervals.

    Attributes
    ----------
    edges_ms: int64[n + 1]. covered_ms: int64[n], the interval's length, or 0 where the node is not covered.
    node_j, idle_j, unattributed_j: float64[n] [J]. Unattributed is signed: contradictory or not reported.
    gpu_j: GPU point → float64[n] [J], NaN without a reading.
    shares: job → what it gets.
    """

    edges_ms: IntArray
    covered_ms: IntArray
    node_j: FloatArray
    idle_j: FloatArray
    unattributed_j: FloatArray
    gpu_j: Mapping[str, FloatArray]
    shares: Mapping[str, EnergyShare]

    def job_j(self, job: str) -> FloatArray:
        """The energy of a job in every interval: float64[n] [J], 0 where it holds nothing."""
        found = np.zeros(len(self.node_j))
        if share := self.shares.get(job):
            found[share.first : share.first + len(share.gpu_j)] = share.energy_j
        return found

    def power(self, job: str) -> Curve:
        """The power of a job [W], level in each interval; covered where its share is known."""
        share = self.shares.get(job)
        if share is None:
            return Curve.empty()
        edges = self.edges_ms[share.first : share.first + len(share.gpu_j) + 1]
        return concatenate_steps(edges, 1000.0 * share.energy_j / np.diff(edges), share.known)


def attribute(
    node: Curve,
    gpus: Mapping[str, Curve],
    cores: int | None,
    holdings: Sequence[AttributedAllocation],
    start_ms: int,
    end_ms: int,
    step_ms: int,
    cuts_ms: Sequence[int] = (),
) -> Attribution:
    """Divide a node's energy among its jobs.

    Parameters
    ----------
    node: power of the node [W].
    gpus: point → power [W] of every GPU it has; one that nothing measures is an empty curve.
    cores: all cores of the node; None if not declared: then the cores reported for a job are no share.
    step_ms: all sources are averaged over intervals of this length (the slowest source's τ), counted from the epoch,
        and cut where a holding begins or ends, where the node's curve breaks off, and at `cuts_ms`.

    Notes
    -----
    In each interval: a GPU's energy goes to those who hold it by their shares, what is left of it to idle. The
    residual, node − all its GPUs, goes by allocated / all cores, what is left of it to idle. Where more is held than
    there is, all get less in proportion. Unattributed, signed: a residual that is negative or hides a GPU without a
    reading, what several jobs that report nothing may hold, and a node that several jobs hold exclusively. Conserves
    energy to rounding (1e-9 of Σ|energy|).
    """
    ledger = _Ledger(node, gpus, cores, holdings, _edges(node, holdings, start_ms, end_ms, step_ms, cuts_ms))
    for first_ms, last_ms, active in _stretches(holdings, start_ms, end_ms):
        ledger.divide(first_ms, last_ms, active)
    return ledger.result()


def _edges(
    node: Curve,
    holdings: Sequence[AttributedAllocation],
    start_ms: int,
    end_ms: int,
    step_ms: int,
    cuts_ms: Sequence[int],
) -> IntArray:
    if step_ms <= 0 or end_ms < start_ms:
        raise ValueError(f"a step of {step_ms} ms in [{start_ms}, {end_ms}]: the step is positive, the end not earlier")
    part = window(node, start_ms, end_ms)
    ends = np.flatnonzero(~part.linked)
    begins = np.concatenate([[0], ends[:-1] + 1]) if ends.size else ends
    held = [edge for h in holdings for edge in (h.start_ms, h.end_ms)]
    grid = step_ms * np.arange(start_ms // step_ms, -(-end_ms // step_ms))
    fixed = np.asarray([start_ms, end_ms, *held, *cuts_ms], np.int64)
    edges = np.unique(np.concatenate([grid, fixed, part.t_ms[ends], part.t_ms[begins]]))
    return edges[(edges >= start_ms) & (edges <= end_ms)]


def _stretches(
    holdings: Sequence[AttributedAllocation], start_ms: int, end_ms: int
) -> Iterator[tuple[int, int, Sequence[AttributedAllocation]]]:
    """The window cut where a holding begins or ends, and who holds the node there."""
    waiting = sorted((h for h in holdings if h.start_ms < h.end_ms), key=lambda h: h.start_ms, reverse=True)
    moments = {min(max(edge, start_ms), end_ms) for h in waiting for edge in (h.start_ms, h.end_ms)}
    active: list[AttributedAllocation] = []
    for first_ms, last_ms in pairwise(sorted(moments | {start_ms, end_ms})):
        while waiting and waiting[-1].start_ms <= first_ms:
            active.append(waiting.pop())
        active = [h for h in active if h.end_ms > first_ms]
        yield first_ms, last_ms, active


class _Ledger:
    """The energies of the intervals, and who has got what of them so far."""

    def __init__(
        self,
        node: Curve,
        gpus: Mapping[str, Curve],
        cores: int | None,
        holdings: Sequence[AttributedAllocation],
        edges: IntArray,
    ) -> None:
        self._node_j, times = bucket_sums(node, edges)
        self._edges, self._cores = edges, cores
        self._covered_ms: IntArray = np.rint(times).astype(np.int64)
        self._points = sorted({*gpus, *(point for h in holdings for point in h.gpus or ())})
        means = [bucket_means(gpus.get(point, Curve.empty()), edges) for point in self._points]
        self._gpu_j: NDArray[np.float64] = np.array(means).reshape(len(means), len(self._node_j)) * (times / 1000.0)
        self._idle_j, self._unattributed_j = np.zeros_like(self._node_j), np.zeros_like(self._node_j)
        self._shares = {job: self._blank(spans) for job, spans in _hulls(holdings, edges).items()}

    def _blank(self, hull: tuple[int, int]) -> EnergyShare:
        first, stop = np.searchsorted(self._edges, hull)
        n = int(stop - first)
        return EnergyShare(int(first), np.zeros(n), np.zeros(n), *(np.zeros(n, np.bool_) for _ in range(3)))

    def divide(self, first_ms: int, last_ms: int, active: Sequence[AttributedAllocation]) -> None:
        """Divide the intervals of a stretch in which the same jobs hold the node."""
        first, stop = np.searchsorted(self._edges, [first_ms, last_ms])
        at = slice(int(first), int(stop))
        for share in (self._shares[h.job] for h in active):
            share.held[at.start - share.first : at.stop - share.first] = True
        owners = [h for h in active if h.exclusive]
        if len(active) == 1 and active[0].gpus is None and active[0].cores is None:
            owners = list(active)
        if not active:
            self._idle_j[at] += self._node_j[at]
        elif len(owners) == 1:
            gpu_j = np.nansum(self._gpu_j[:, at], axis=0)
            everywhere = self._covered_ms[at] > 0
            self._give(owners[0].job, at, gpu_j, self._node_j[at] - gpu_j, everywhere, everywhere)
        elif owners:
            self._unattributed_j[at] += self._node_j[at]
        else:
            self._share(at, active)

    def _share(self, at: slice, active: Sequence[AttributedAllocation]) -> None:
        fractions = [[None if h.gpus is None else h.gpus.get(point, 0.0) for h in active] for point in self._points]
        gpus = [fair_shares(row, 1.0) for row in fractions]
        cores = core_shares([h.cores for h in active], self._cores)
        read = ~np.isnan(self._gpu_j[:, at])
        gpu_j = np.where(read, self._gpu_j[:, at], 0.0)
        residual = self._node_j[at] - gpu_j.sum(axis=0)
        sound = read.all(axis=0) & (residual >= 0.0)
        divided = np.where(sound, residual, 0.0)
        parts = np.array([c.parts for c in gpus]).reshape(len(gpus), len(active))
        sure = np.array([c.known for c in gpus], np.bool_).reshape(len(gpus), len(active))
        idle, disputed = np.array([c.idle for c in gpus]), np.array([c.disputed for c in gpus])
        self._idle_j[at] += idle @ gpu_j + cores.idle * divided
        self._unattributed_j[at] += disputed @ gpu_j + cores.disputed * divided + (residual - divided)
        covered = self._covered_ms[at] > 0
        for i, h in enumerate(active):
            by_cores = sound & cores.known[i]
            some = by_cores | read[parts[:, i] > 0].any(axis=0)
            whole = by_cores & bool(sure[:, i].all())
            self._give(h.job, at, parts[:, i] @ gpu_j, cores.parts[i] * divided, covered & some, covered & whole)

    def _give(
        self, job: str, at: slice, gpu_j: FloatArray, residual_j: FloatArray, known: BoolArray, whole: BoolArray
    ) -> None:
        share = self._shares[job]
        of = slice(at.start - share.first, at.stop - share.first)
        share.gpu_j[of] += gpu_j
        share.residual_j[of] += residual_j
        share.known[of] |= known
        share.whole[of] |= whole

    def result(self) -> Attribution:
        """What has been divided."""
        gpu_j = dict(zip(self._points, self._gpu_j, strict=True))
        return Attribution(
            self._edges, self._covered_ms, self._node_j, self._idle_j, self._unattributed_j, gpu_j, self._shares
        )


def _hulls(holdings: Sequence[AttributedAllocation], edges: IntArray) -> dict[str, tuple[int, int]]:
    """Job → from when until when it holds anything, inside the window."""
    found: dict[str, tuple[int, int]] = {}
    for h in holdings:
        start, end = max(h.start_ms, int(edges[0])), min(h.end_ms, int(edges[-1]))
        if start < end:
            before = found.get(h.job, (start, end))
            found[h.job] = min(before[0], start), max(before[1], end)
    return found
