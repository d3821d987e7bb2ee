"""Decode frames and chunks of one snapshot into samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.store.timeseries.chunk_reader import SealedWindow
from app.store.timeseries.codec import decode_times, decode_values, unpack
from app.store.timeseries.readings import Moments, Samples, Times, Values
from app.store.timeseries.stream_fetch import StoredFrames, StoredStream, WantedSeries, WantedStream
from collectors.contract import Layout


@dataclass(frozen=True, eq=False)
class _Block:
    """Frames of one layout: t int64[n], and a function that returns float64[n] for each of its series."""

    layout: Layout
    t_ms: Times
    columns: Mapping[str, Callable[[], Values]]

    def values(self, key: str) -> Values:
        """Return float64[n] of a series, NaN where it is missing."""
        return self.columns[key]() if key in self.columns else np.full(len(self.t_ms), np.nan)


class StreamReader:
    """Decodes the stored bytes of one stream around a window."""

    def __init__(self, wanted: WantedStream, stored: StoredStream) -> None:
        self._wanted = wanted
        self._stored = stored

    def samples(self) -> Iterator[tuple[str, Samples]]:
        """Return the samples of every wanted series, with one neighbour on either side of the window."""
        layouts, start_ms, end_ms = self._wanted.layouts, self._wanted.start_ms, self._wanted.end_ms
        blocks = [self._hot(layouts[layout_id], frames) for layout_id, frames in self._stored.frames.items()]
        blocks += [self._sealed(layouts[window.layout_id], window) for window in self._stored.windows]
        if not blocks:
            return
        together = _moments(blocks)
        order = np.argsort(together.t_ms, kind="stable") if _falls(together.t_ms) else None
        together = together if order is None else together[order]
        shared = _inside(together.t_ms, start_ms, end_ms)
        shared_moments = together[shared]
        keys = list({key: None for block in blocks for key in block.columns})
        for key, row in zip(keys, np.empty((len(keys), len(together))), strict=True):  # large arrays take huge pages
            np.concatenate([block.values(key) for block in blocks], out=row)
            v = row if order is None else row[order]
            there = ~np.isnan(v)
            if there.all():
                yield key, Samples(shared_moments, v[shared])
            else:
                moments, v = together[there], v[there]
                rows = _inside(moments.t_ms, start_ms, end_ms)
                yield key, Samples(moments[rows], v[rows])

    def _hot(self, wanted: WantedSeries, frames: StoredFrames) -> _Block:
        t = np.frombuffer(frames.t_ms, np.int64)
        values = unpack(frames.payload, len(t))
        columns = {
            key: partial(values.__getitem__, (..., column - self._wanted.lowest))
            for key, column in wanted.columns.items()
        }
        return _Block(wanted.known.layout, t, columns)

    def _sealed(self, wanted: WantedSeries, window: SealedWindow) -> _Block:
        t = decode_times(window.times)
        inside = slice(*np.searchsorted(t, (self._wanted.from_ms, self._wanted.to_ms + 1)))
        packed = self._stored.values
        columns = {
            key: partial(decode_values, packed[place], inside)
            for key, column in wanted.columns.items()
            if (place := (window.layout_id, window.start_ms, column)) in packed
        }
        return _Block(wanted.known.layout, t[inside], columns)


def joined(parts: Sequence[Samples], start_ms: int, end_ms: int) -> Samples:
    """Return one series that was reported in several streams."""
    if len(parts) < 2:
        return parts[0] if parts else Samples.empty()
    names = ("t_ms", "tau_ms", "max_gap_ms")
    moments = Moments(*(np.concatenate([getattr(part.moments, name) for part in parts]) for name in names))
    order = np.argsort(moments.t_ms, kind="stable")
    rows = order[_inside(moments.t_ms[order], start_ms, end_ms)]
    return Samples(moments[rows], np.concatenate([part.v for part in parts])[rows])


def _falls(t_ms: Times) -> bool:
    return not (t_ms[1:] > t_ms[:-1]).all()


def _inside(t_ms: Times, start_ms: int, end_ms: int) -> slice:
    """Return the rows in a window and one neighbour on either side."""
    first, last = np.searchsorted(t_ms, (start_ms, end_ms))
    return slice(max(0, int(first) - 1), int(last) + 1)


def _moments(blocks: Sequence[_Block]) -> Moments:
    """Return the times of frames, in the order of the blocks."""
    tau, gap = (_along(blocks, name) for name in ("interval_ms", "max_gap_ms"))
    return Moments(np.concatenate([block.t_ms for block in blocks]), tau, gap)


def _along(blocks: Sequence[_Block], name: str) -> Times:
    """Return a value of each frame's layout, broadcast where all layouts have the same."""
    times = [getattr(block.layout, name) for block in blocks]
    lengths = [len(block.t_ms) for block in blocks]
    if len(set(times)) == 1:
        return np.broadcast_to(np.int64(times[0]), sum(lengths))
    return np.repeat(np.array(times, np.int64), lengths)
