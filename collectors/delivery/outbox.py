"""Readings that the server has not acknowledged, in a SQLite file that survives restarts.

Frames stay until the server has stored them. Those it rejects for good become dead letters and do not block the rest;
those it does not accept yet, because its clock is behind their time, wait apart. The outbox is bounded in bytes: when
it is full, new frames are dropped and counted, so that an outage is recorded without a gap from its beginning.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from collectors.contract import Frame, Layout, layout_from_wire
from collectors.delivery.dead_letters import DeadLetters
from collectors.delivery.outbox_file import OutboxFile
from collectors.delivery.server_clock import ClockState

MAX_BYTES = 2 * 2**30
_LAST_ID = 2**63 - 1
_ROW_BYTES = 72
"""What a frame or note takes beside its values."""
_COLUMNS = "layout, t_ms, vals, offset_ms, fence"

_INSTANCE = "instance"

NoteKind = Literal["poll", "event"]


@dataclass(frozen=True)
class Batch:
    """Frames of one layout, oldest first. `fence`: fencing number of the lease that they were polled under, if any."""

    layout: Layout
    ids: tuple[int, ...]
    t_ms: tuple[int, ...]
    rows: tuple[tuple[float, ...], ...]
    fence: int | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form that `POST /api/v1/ingest` takes; values by series."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        head: dict[str, Any] = {"device": self.layout.device, "group": self.layout.group, "layout": self.layout.hash}
        if self.fence is not None:
            head["fence"] = self.fence
        return {**head, "t": list(self.t_ms), "values": columns}


@dataclass(frozen=True)
class StoredNote:
    """A stored failed poll or event."""

    id: int
    body: Mapping[str, Any]


@dataclass(frozen=True)
class PutResult:
    """What became of frames: ids of the first and last in the queue (0 if none), how many were held and dropped."""

    first_id: int = 0
    last_id: int = 0
    held: int = 0
    dropped: int = 0


class Outbox:
    """A durable queue of frames and notes. Used by one process, from one thread.

    Every method raises `OutboxError` if the file cannot be read or written.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._file = OutboxFile(path)
        self.dead = DeadLetters(self._file, max_bytes)
        self._max_bytes = max_bytes
        self._room_bytes = 0
        self._layouts: dict[str, Layout] = {}
        self.dropped = 0

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def waiting(self) -> int:
        """How many frames wait for the server; counts them, so not for every poll."""
        return sum(int(self._file.read(f"SELECT count(*) FROM {table}")[0][0]) for table in ("frame", "future"))

    def put(self, frames: Iterable[Frame], clock: ClockState | None = None, fence: int | None = None) -> PutResult:
        """Store frames; those for which there is no room are dropped.

        Parameters
        ----------
        clock: the state of the collector's clock when they were read; None if it was not measured yet. Frames read
        while it was too far ahead are held.
        fence: fencing number of the lease that they were polled under.
        """
        self._file.require_room()
        given = list(frames)
        taken = given[: self._room_for([8 * len(frame.values) for frame in given])]
        held = [f for f in taken if clock is not None and clock.is_ahead and f.t_ms > clock.server_ms]
        queued = [f for f in taken if f not in held] if held else taken
        offset_ms = None if clock is None else clock.offset_ms
        last_id = 0
        if taken:
            with self._file.transaction():
                for frame in taken:
                    self._keep_layout(frame.layout)
                if held and clock is not None:
                    self.dead.put_held([_row(f, offset_ms, fence) for f in held], clock.wall_ms, clock.offset_ms)
                if queued:
                    insert = f"INSERT INTO frame ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)"
                    self._file.write_many(insert, [_row(f, offset_ms, fence) for f in queued])
                    last_id = int(self._file.read("SELECT last_insert_rowid()")[0][0])
            for frame in taken:
                self._layouts[frame.layout.hash] = frame.layout
        self.dropped += len(given) - len(taken)
        first_id = last_id - len(queued) + 1 if queued else 0
        return PutResult(first_id, last_id, len(held), len(given) - len(taken))

    def newest(self) -> int:
        """Return the id of the newest frame; 0 when none waits."""
        return int(self._file.read("SELECT coalesce(max(id), 0) FROM frame")[0][0])

    def batches(self, max_frames: int, newest: int = _LAST_ID) -> list[Batch]:
        """Return the oldest frames up to an id, by layout and lease. A batch has each time once: a second frame of the
        same time (a clock that was set back) waits for the next batch."""
        found: dict[tuple[str, int | None], dict[int, tuple[int, int, bytes]]] = {}
        query = "SELECT id, layout, t_ms, vals, fence FROM frame WHERE id <= ? ORDER BY id LIMIT ?"
        for id_, layout, t_ms, vals, fence in self._file.read(query, (newest, max_frames)):
            found.setdefault((layout, fence), {}).setdefault(t_ms, (id_, t_ms, vals))
        return [
            self._batch(self._layout(layout), fence, [frames[t] for t in sorted(frames)])
            for (layout, fence), frames in found.items()
        ]

    def acknowledge(self, ids: Sequence[int]) -> None:
        """Delete frames that the server has stored."""
        with self._file.transaction():
            self._file.write_many("DELETE FROM frame WHERE id = ?", ((id_,) for id_ in ids))

    def postpone(self, ids: Sequence[int]) -> None:
        """Set frames aside that the server does not accept before its clock has reached their time."""
        with self._file.transaction():
            copy = f"INSERT INTO future ({_COLUMNS}) SELECT {_COLUMNS} FROM frame WHERE id = ?"
            self._file.write_many(copy, ((id_,) for id_ in ids))
            self._file.write_many("DELETE FROM frame WHERE id = ?", ((id_,) for id_ in ids))

    def resume(self, until_ms: int = _LAST_ID) -> int:
        """Put the postponed frames up to a time back into the queue and return how many."""
        if not self._file.read("SELECT 1 FROM future WHERE t_ms <= ? LIMIT 1", (until_ms,)):
            return 0
        with self._file.transaction():
            copy = f"INSERT INTO frame ({_COLUMNS}) SELECT {_COLUMNS} FROM future WHERE t_ms <= ? ORDER BY t_ms, id"
            self._file.write(copy, (until_ms,))
            return self._file.write("DELETE FROM future WHERE t_ms <= ?", (until_ms,))

    def unannounced(self, hashes: Iterable[str]) -> list[Layout]:
        """Return those layouts that were not announced to the server yet."""
        wanted = list(dict.fromkeys(hashes))
        # One statement for lists of any length: SQLite keeps the last 128 statements prepared.
        query = "SELECT hash FROM layout WHERE announced AND hash IN (SELECT value FROM json_each(?))"
        announced = {key for (key,) in self._file.read(query, (orjson.dumps(wanted).decode(),))}
        return [self._layout(key) for key in wanted if key not in announced]

    def set_announced(self, hashes: Iterable[str], announced: bool) -> None:
        """Mark layouts as known to the server, or (a new server) as unknown."""
        with self._file.transaction():
            change = "UPDATE layout SET announced = ? WHERE hash = ?"
            self._file.write_many(change, ((int(announced), key) for key in hashes))

    def put_note(self, kind: NoteKind, body: Mapping[str, Any]) -> None:
        """Store a failed poll or an event; bounded like the frames."""
        self._file.require_room()
        packed = orjson.dumps(dict(body))
        if self._room_for([len(packed)]):
            self._file.write("INSERT INTO note (kind, body) VALUES (?, ?)", (kind, packed))

    def notes(self, kind: NoteKind, limit: int) -> list[StoredNote]:
        """Return the oldest notes of a kind."""
        rows = self._file.read("SELECT id, body FROM note WHERE kind = ? ORDER BY id LIMIT ?", (kind, limit))
        return [StoredNote(id_, orjson.loads(body)) for id_, body in rows]

    def drop_notes(self, ids: Iterable[int]) -> None:
        """Delete notes that the server has stored."""
        with self._file.transaction():
            self._file.write_many("DELETE FROM note WHERE id = ?", ((id_,) for id_ in ids))

    def keep(self, name: str, body: Any) -> None:  # noqa: ANN401 -- any JSON
        """Store a value by name across restarts."""
        packed = orjson.dumps(body)
        if self._file.read("SELECT body FROM kept WHERE name = ?", (name,)) != [(packed,)]:
            self._file.write("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, packed))

    def kept(self, name: str) -> Any:  # noqa: ANN401 -- any JSON
        """Return the value stored by a name; None without one."""
        rows = self._file.read("SELECT body FROM kept WHERE name = ?", (name,))
        return orjson.loads(rows[0][0]) if rows else None

    def instance(self) -> str:
        """Return what identifies this outbox, and with it its collector, among others of its name."""
        if not (found := self.kept(_INSTANCE)):
            found = secrets.token_hex(8)
            self.keep(_INSTANCE, found)
        return str(found)

    def _room_for(self, sizes: Sequence[int]) -> int:
        """Return for how many of these there is room and take it; the file is measured only when it seems full."""
        if self._room_bytes < sum(sizes) + _ROW_BYTES * len(sizes):
            self._room_bytes = self._max_bytes - self._file.used_bytes
        for i, size in enumerate(sizes):
            if self._room_bytes < size + _ROW_BYTES:
                return i
            self._room_bytes -= size + _ROW_BYTES
        return len(sizes)

    def _keep_layout(self, layout: Layout) -> None:
        if layout.hash not in self._layouts:
            wire = orjson.dumps(layout.to_wire())
            self._file.write("INSERT OR IGNORE INTO layout (hash, wire) VALUES (?, ?)", (layout.hash, wire))

    def _layout(self, key: str) -> Layout:
        if key not in self._layouts:
            ((wire,),) = self._file.read("SELECT wire FROM layout WHERE hash = ?", (key,))
            self._layouts[key] = layout_from_wire(orjson.loads(wire))[0]
        return self._layouts[key]

    @staticmethod
    def _batch(layout: Layout, fence: int | None, frames: Sequence[tuple[int, int, bytes]]) -> Batch:
        width = len(layout.series)
        return Batch(
            layout,
            ids=tuple(id_ for id_, _, _ in frames),
            t_ms=tuple(t_ms for _, t_ms, _ in frames),
            rows=tuple(struct.unpack(f"<{width}d", vals) for _, _, vals in frames),
            fence=fence,
        )


def _row(frame: Frame, offset_ms: int | None, fence: int | None) -> tuple[object, ...]:
    return frame.layout.hash, frame.t_ms, struct.pack(f"<{len(frame.values)}d", *frame.values), offset_ms, fence
