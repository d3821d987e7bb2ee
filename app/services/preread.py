"""Many services ask for one series at a time. Read for all of them at once, they cost a fraction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from app.services.context import Context
from app.store.frames import FrameStore
from app.store.readings import Samples, SeriesInfo


class Preread(FrameStore):
    """The readings of some series in one window; what was not asked for does not exist.

    A read inside the window finds what the store would find there, and what lies around it.
    """

    def __init__(self, frames: FrameStore, infos: Sequence[SeriesInfo], start_ms: int, end_ms: int) -> None:
        self._infos: dict[str, list[SeriesInfo]] = defaultdict(list)
        for info in infos:
            self._infos[info.device].append(info)
        self._samples = frames.read([info.key for info in infos], start_ms, end_ms)

    def series(self, device: str | None = None) -> list[SeriesInfo]:
        """The series (of a device) that were read."""
        if device is not None:
            return self._infos.get(device, [])
        return [info for infos in self._infos.values() for info in infos]

    def read(self, keys: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Samples]:
        """Samples that were read already; those outside the window asked for come along."""
        return {key: self._samples.get(key) or Samples.empty() for key in keys}


def preread(context: Context, wanted: Callable[[SeriesInfo], bool], start_ms: int, end_ms: int) -> Context:
    """The context with the readings of a window at hand: of the series wanted, and no others."""
    infos = [info for info in context.frames.series() if wanted(info)]
    return replace(context, frames=Preread(context.frames, infos, start_ms, end_ms))
