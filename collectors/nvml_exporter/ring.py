"""The last minutes of samples and events, ordered by a cursor that only grows.

A cursor is `START.N`: the start time of this exporter [ms UTC] and the number of the last row that the client has.
Rows that were overwritten before a client read them are reported as lost.
"""

from __future__ import annotations

import threading
from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from collectors.errors import CollectorError


class BadSampleCursor(CollectorError):
    """The cursor was not issued by this exporter."""

    code = "bad_cursor"


class SampleColumn(NamedTuple):
    """Description of one column of a row.

    `point`: `gpu/0`, `cpu/1/dram`; `uuid`: the GPU's identity; `value`: as in `gpu.Reading`; `sensor`, `window_ms`,
    `update_ms`: as in `gpu.Sensor`; `modulus`: value at which a counter wraps [unit].
    """

    point: str
    uuid: str
    value: str
    unit: str
    sensor: str = ""
    window_ms: int | None = None
    update_ms: int | None = None
    modulus: float | None = None

    @property
    def name(self) -> str:
        """Return the name, such as `gpu/0:power_instant`."""
        return f"{self.point}:{self.value}"


Schema = tuple[SampleColumn, ...]


class SampleRow(NamedTuple):
    """One sample. `t_ms`: UTC, the middle of the reading; `values`: float64, one per column, NaN is missing."""

    n: int
    t_ms: int
    schema: Schema
    values: array[float]


@dataclass(frozen=True, slots=True)
class ExporterEvent:
    """An event; it is delivered with row `n`."""

    n: int
    t_ms: int
    kind: str
    severity: str
    detail: str
    point: str = ""
    uuid: str = ""
    jobs: tuple[str, ...] = ()


class Lost(NamedTuple):
    """Requested rows that are no longer kept: `overwritten` (with their number) or `restarted` (number unknown)."""

    reason: str
    rows: int | None
    before_ms: int | None


class SampleSlice(NamedTuple):
    """Rows and events since a cursor. `cursor`: where to continue; `head`: the newest row."""

    rows: Sequence[SampleRow]
    events: Sequence[ExporterEvent]
    lost: Lost | None
    cursor: str
    head: str


class Ring:
    """Keeps the last `rows` rows. One thread writes, many read."""

    def __init__(self, rows: int, start_ms: int) -> None:
        self.start_ms = start_ms
        self._rows: deque[SampleRow] = deque(maxlen=rows)
        self._events: deque[ExporterEvent] = deque(maxlen=max(rows, 1000))
        self._n = 0
        self._lock = threading.Lock()
        self.overwritten = 0

    def append(self, t_ms: int, schema: Schema, values: array[float]) -> None:
        """Append a row; drop the oldest one if the ring is full."""
        with self._lock:
            self._n += 1
            if len(self._rows) == self._rows.maxlen:
                self.overwritten += 1
            self._rows.append(SampleRow(self._n, t_ms, schema, values))
            while self._events and self._events[0].n < self._rows[0].n:
                self._events.popleft()

    def note(
        self,
        t_ms: int,
        kind: str,
        detail: str,
        severity: str = "warning",
        point: str = "",
        uuid: str = "",
        jobs: tuple[str, ...] = (),
    ) -> None:
        """Append an event; it belongs to the next row."""
        with self._lock:
            self._events.append(ExporterEvent(self._n + 1, t_ms, kind, severity, detail, point, uuid, jobs))

    @property
    def last(self) -> SampleRow | None:
        """Return the newest row."""
        with self._lock:
            return self._rows[-1] if self._rows else None

    def __len__(self) -> int:
        return len(self._rows)

    def since(self, cursor: str, limit: int) -> SampleSlice:
        """Return at most `limit` rows after a cursor; an empty cursor starts at the oldest row.

        Raises
        ------
        BadSampleCursor
        """
        start_ms, n = self._parse(cursor)
        with self._lock:
            first = self._rows[0].n if self._rows else self._n + 1
            before_ms = self._rows[0].t_ms if self._rows else None
            lost = None
            if cursor and start_ms != self.start_ms:
                lost, n = Lost("restarted", None, before_ms), 0
            elif n > self._n:
                raise BadSampleCursor(
                    f"cursor {cursor} is ahead of {self._name(self._n)}", "repeat once without `since`"
                )
            elif cursor and n + 1 < first:
                lost = Lost("overwritten", first - n - 1, before_ms)
            skip = max(0, n + 1 - first)
            rows = list(islice(self._rows, skip, skip + limit))
            last = rows[-1].n if rows else self._n
            events = [event for event in self._events if n < event.n <= last]
            return SampleSlice(rows, events, lost, self._name(last), self._name(self._n))

    def _name(self, n: int) -> str:
        return f"{self.start_ms}.{n}"

    def _parse(self, cursor: str) -> tuple[int, int]:
        if not cursor:
            return self.start_ms, 0
        start, _, n = cursor.partition(".")
        if not (start.isascii() and start.isdigit() and n.isascii() and n.isdigit() and len(cursor) < 40):
            raise BadSampleCursor(f"{cursor!r} is not a cursor", "send the `cursor` of the previous response, or none")
        return int(start), int(n)
