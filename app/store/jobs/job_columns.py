"""What lists of jobs filter, sort and add up by, in memory: one entry per job, in columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

FIGURES = ("energy_j", "inside_j", "duration_s", "mean_w", "median_w", "max_w", "coverage")
CODED = ("cluster", "name", "user", "project", "partition", "state")
OPEN_MS = np.iinfo(np.int64).max
"""The end of a running job."""
NONE, UNKNOWN = -1, -2
"""The codes of a text that a job does not have, and of a text that no job has."""
_ENTRY = np.dtype(
    [("start_ms", "i8"), ("end_ms", "i8"), ("node_ms", "i8"), ("is_summarised", "?")]
    + [(name, "i4") for name in CODED]
    + [(name, "f8") for name in FIGURES]
)
_FIRST_CAPACITY = 1024

Column = npt.NDArray[Any]
T = TypeVar("T")


class JobEntry(NamedTuple):
    """A job as lists need it. `node_ms`: node time of its ended parts. `figures`: as FIGURES, NaN for none."""

    id: str
    job_id: str | None
    start_ms: int
    end_ms: int | None
    node_ms: int
    is_summarised: bool
    coded: tuple[str | None, ...]
    figures: tuple[float, ...]
    nodes: tuple[str, ...]
    tags: tuple[tuple[str, str], ...]


class Codes:
    """Texts that many jobs share, by small numbers."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, text: str | None) -> int:
        """Return the code of a text, which is new if need be."""
        if text is None:
            return NONE
        found = self._codes.get(text)
        if found is None:
            found = self._codes[text] = len(self.texts)
            self.texts.append(text)
        return found

    def find(self, text: str) -> int:
        """Return the code of a text, or UNKNOWN if no job has it."""
        return self._codes.get(text, UNKNOWN)


class JobColumns:
    """Entries of jobs; `kept`: rows that were found last, until an entry changes. Not safe to share between threads."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.job_ids: list[str | None] = []
        self.texts: list[str] = []
        self.nodes: list[tuple[str, ...]] = []
        self.tags: list[tuple[tuple[str, str], ...]] = []
        self.codes = {name: Codes() for name in CODED}
        self.parts = 0
        self.kept: tuple[Any, Column] | None = None
        self._lists: tuple[list[Any], ...] = (self.ids, self.job_ids, self.texts, self.nodes, self.tags)
        self._rows: dict[str, int] = {}
        self._table = np.zeros(_FIRST_CAPACITY, _ENTRY)
        self._shared: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def column(self, name: str) -> Column:
        """Return a column, in the order of `ids`."""
        found: Column = self._table[name][: len(self.ids)]
        return found

    def rows_of(self, ids: Iterable[str]) -> list[int]:
        """Return the rows of jobs; unknown ids are omitted."""
        return [row for row in map(self._rows.get, dict.fromkeys(ids)) if row is not None]

    def put(self, entries: Iterable[JobEntry]) -> None:
        """Add or replace jobs."""
        self.kept = None
        for entry in entries:
            row = self._rows.get(entry.id)
            if row is None:
                row = self._append(entry.id)
            self.parts += len(entry.nodes) - len(self.nodes[row])
            self.job_ids[row], self.texts[row] = entry.job_id, _text(entry)
            self.nodes[row] = self._once(tuple(map(self._once, entry.nodes)))
            self.tags[row] = self._once(tuple(map(self._once, entry.tags)))
            end_ms = OPEN_MS if entry.end_ms is None else entry.end_ms
            codes = (self.codes[name].code(text) for name, text in zip(CODED, entry.coded, strict=True))
            times = (entry.start_ms, end_ms, entry.node_ms)
            self._table[row] = (*times, entry.is_summarised, *codes, *entry.figures)

    def drop(self, ids: Iterable[str]) -> None:
        """Remove jobs; the last one takes the place of each."""
        self.kept = None
        for id_ in ids:
            row = self._rows.pop(id_, None)
            if row is None:
                continue
            self.parts -= len(self.nodes[row])
            last = len(self.ids) - 1
            self._table[row] = self._table[last]
            for each in self._lists:
                moved = each.pop()
                if row != last:
                    each[row] = moved
            if row != last:
                self._rows[self.ids[row]] = row

    def _append(self, id_: str) -> int:
        row = self._rows[id_] = len(self.ids)
        for each, value in zip(self._lists, (id_, None, "", (), ()), strict=True):
            each.append(value)
        if row == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        return row

    def _once(self, value: T) -> T:
        """Return the one copy of a value that many jobs share."""
        found: T = self._shared.setdefault(value, value)
        return found


def _text(entry: JobEntry) -> str:
    """Return everything that words are looked for in, in lower case, one text per line."""
    name, user = entry.coded[CODED.index("name")], entry.coded[CODED.index("user")]
    texts = (name, user, entry.id, entry.job_id, *entry.nodes, *(value for _, value in entry.tags))
    return "\n".join(text for text in texts if text).lower()
