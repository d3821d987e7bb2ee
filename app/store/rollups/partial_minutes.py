"""Minute rollups as far as the machines that hold them respond, for pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from app.domain.rollups import MinuteMatrix, Minutes
from app.store.database import PartialReads
from app.store.rollups.minutes import MinuteStore
from collectors.contract import MINUTE_MS

T = TypeVar("T")
_SUBJECTS = "rollup_day_series"


class PartialMinuteStore(MinuteStore):
    """Rollups without those on machines that do not respond; `reads.unread` names the subjects of these.

    What pages of places read is read in part; the rest fails as in `MinuteStore`. Of one request, not shared.
    """

    def __init__(self, whole: MinuteStore, reads: PartialReads) -> None:
        super().__init__(whole.engine)
        self._reads = reads

    def read(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> dict[str, Minutes]:
        """Return the covered steps of each subject; one that cannot be read has none."""
        whole = super().read
        found = {subject: Minutes.blank(0, 0) for subject in subjects}
        for part in self._each(subjects, lambda some: whole(some, start_ms, end_ms)):
            found |= part
        return found

    def matrix(self, subjects: Sequence[str], start_ms: int, end_ms: int) -> MinuteMatrix:
        """Return the minutes of each subject, blank where it cannot be read."""
        whole = super().matrix
        t_ms = np.arange(start_ms, end_ms, MINUTE_MS, dtype=np.int64)
        integral = np.zeros((len(subjects), len(t_ms)))
        covered_ms = np.zeros((len(subjects), len(t_ms)), np.int64)
        is_stored = np.zeros(len(subjects), np.bool_)
        index = {subject: i for i, subject in enumerate(subjects)}
        for some, part in self._each(subjects, lambda some: (some, whole(some, start_ms, end_ms))):
            rows = [index[subject] for subject in some]
            integral[rows], covered_ms[rows], is_stored[rows] = part.integral, part.covered_ms, part.is_stored
        return MinuteMatrix(t_ms, integral, covered_ms, is_stored)

    def are_known(self, subjects: Sequence[str], day_ms: int) -> bool:
        """Return whether each subject can be read and has minutes of a day."""
        whole = super().are_known
        found = self._each(subjects, lambda some: (len(some), whole(some, day_ms)))
        return sum(n for n, is_known in found if is_known) == len(subjects)

    def _each(self, subjects: Sequence[str], read: Callable[[list[str]], T]) -> list[T]:
        found, lost = self._reads.each(_SUBJECTS, subjects, read)
        self._reads.unread.subjects.update(lost)
        return found
