"""Readings that the server has not acknowledged, in a SQLite file that survives restarts.

Frames stay until the server has stored them. Those it rejects for good are moved to the `dead_letter` table for
inspection and do not block the rest. The outbox is bounded: when it is full, new frames are dropped and counted, so
that an outage is recorded without a gap from its beginning. Of the dead letters the newest are kept.

SQLite's write-ahead log survives a crash of the process; a power failure may lose the last moments.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import orjson

from collectors.contract import Frame, Layout, layout_from_wire

MAX_FRAMES = 2_000_000
MAX_DEAD_LETTERS = 100_000
_LAST_ID = 2**63 - 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS layout (hash TEXT PRIMARY KEY, wire BLOB NOT NULL, announced INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS frame (
  id INTEGER PRIMARY KEY, layout TEXT NOT NULL, t_ms INTEGER NOT NULL, vals BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS dead_letter (
  id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL,
  kind TEXT NOT NULL, layout TEXT, t_ms INTEGER, vals BLOB, body BLOB);
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, body BLOB NOT NULL);
"""

NoteKind = Literal["poll", "event"]


@dataclass(frozen=True)
class Batch:
    """Frames of one layout, oldest first."""

    layout: Layout
    ids: tuple[int, ...]
    t_ms: tuple[int, ...]
    rows: tuple[tuple[float, ...], ...]

    def to_wire(self) -> dict[str, Any]:
        """Return the JSON form that `POST /api/v1/ingest` takes; values by series."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        head = {"device": self.layout.device, "group": self.layout.group, "layout": self.layout.hash}
        return {**head, "t": list(self.t_ms), "values": columns}


@dataclass(frozen=True)
class StoredNote:
    """A stored failed poll or event."""

    id: int
    body: Mapping[str, Any]


class Outbox:
    """A durable queue of frames and notes. Used by one process, from one thread."""

    def __init__(self, path: Path, max_frames: int = MAX_FRAMES) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA)
        self._max_frames = max_frames
        self._layouts: dict[str, Layout] = {}
        self.waiting: int = self._db.execute("SELECT count(*) FROM frame").fetchone()[0]
        self.dropped = 0

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def put(self, frames: Iterable[Frame]) -> int:
        """Store frames; return how many were dropped because the outbox is full."""
        given = list(frames)
        room = max(0, self._max_frames - self.waiting)
        taken = given[:room]
        with self._transaction():
            for frame in taken:
                self._keep_layout(frame.layout)
                row = (frame.layout.hash, frame.t_ms, struct.pack(f"<{len(frame.values)}d", *frame.values))
                self._db.execute("INSERT INTO frame (layout, t_ms, vals) VALUES (?, ?, ?)", row)
        self.waiting += len(taken)
        self.dropped += len(given) - len(taken)
        return len(given) - len(taken)

    def newest(self) -> int:
        """Return the id of the newest frame; 0 when none waits."""
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM frame").fetchone()[0])

    def batches(self, max_frames: int, newest: int = _LAST_ID) -> list[Batch]:
        """Return the oldest frames up to an id, by layout. A batch has each time once: a second frame of the same time
        (a clock that was set back) waits for the next batch."""
        found: dict[str, dict[int, tuple[int, int, bytes]]] = {}
        query = "SELECT id, layout, t_ms, vals FROM frame WHERE id <= ? ORDER BY id LIMIT ?"
        rows = self._db.execute(query, (newest, max_frames))
        for id_, layout, t_ms, vals in rows:
            found.setdefault(layout, {}).setdefault(t_ms, (id_, t_ms, vals))
        return [self._batch(self._layout(key), [frames[t] for t in sorted(frames)]) for key, frames in found.items()]

    def acknowledge(self, ids: Sequence[int]) -> None:
        """Delete frames that the server has stored."""
        with self._transaction():
            self._db.executemany("DELETE FROM frame WHERE id = ?", ((id_,) for id_ in ids))
        self.waiting -= len(ids)

    def dead_letter(self, ids: Sequence[int], at_ms: int, code: str, detail: str) -> None:
        """Move frames that the server rejects for good to the dead letters."""
        copy = (
            "INSERT INTO dead_letter (at_ms, code, detail, kind, layout, t_ms, vals) "
            "SELECT ?, ?, ?, 'frame', layout, t_ms, vals FROM frame WHERE id = ?"
        )
        with self._transaction():
            self._db.executemany(copy, ((at_ms, code, detail, id_) for id_ in ids))
            self._db.executemany("DELETE FROM frame WHERE id = ?", ((id_,) for id_ in ids))
            self._db.execute(
                "DELETE FROM dead_letter WHERE id <= (SELECT max(id) FROM dead_letter) - ?", (MAX_DEAD_LETTERS,)
            )
        self.waiting -= len(ids)

    def dead_letters(self) -> list[tuple[str, str, int | None]]:
        """Return the dead letters: code, detail, time of the frame."""
        return self._db.execute("SELECT code, detail, t_ms FROM dead_letter ORDER BY id").fetchall()

    def unannounced(self, hashes: Iterable[str]) -> list[Layout]:
        """Return those layouts that were not announced to the server yet."""
        announced = {key for (key,) in self._db.execute("SELECT hash FROM layout WHERE announced")}
        return [self._layout(key) for key in dict.fromkeys(hashes) if key not in announced]

    def set_announced(self, hashes: Iterable[str], announced: bool) -> None:
        """Mark layouts as known to the server, or (a new server) as unknown."""
        with self._transaction():
            change = "UPDATE layout SET announced = ? WHERE hash = ?"
            self._db.executemany(change, ((int(announced), key) for key in hashes))

    def put_note(self, kind: NoteKind, body: Mapping[str, Any]) -> None:
        """Store a failed poll or an event; bounded like the frames."""
        (count,) = self._db.execute("SELECT count(*) FROM note").fetchone()
        if count < self._max_frames:
            self._db.execute("INSERT INTO note (kind, body) VALUES (?, ?)", (kind, orjson.dumps(dict(body))))

    def notes(self, kind: NoteKind, limit: int) -> list[StoredNote]:
        """Return the oldest notes of a kind."""
        rows = self._db.execute("SELECT id, body FROM note WHERE kind = ? ORDER BY id LIMIT ?", (kind, limit))
        return [StoredNote(id_, orjson.loads(body)) for id_, body in rows]

    def drop_notes(self, ids: Iterable[int]) -> None:
        """Delete notes that the server has stored."""
        with self._transaction():
            self._db.executemany("DELETE FROM note WHERE id = ?", ((id_,) for id_ in ids))

    def dead_letter_note(self, note: StoredNote, at_ms: int, code: str, detail: str) -> None:
        """Move a note that the server rejects for good to the dead letters."""
        row = (at_ms, code, detail, orjson.dumps(dict(note.body)))
        with self._transaction():
            self._db.execute(
                "INSERT INTO dead_letter (at_ms, code, detail, kind, body) VALUES (?, ?, ?, 'note', ?)", row
            )
            self._db.execute("DELETE FROM note WHERE id = ?", (note.id,))

    def keep(self, name: str, body: Any) -> None:  # noqa: ANN401 -- any JSON
        """Store a value by name across restarts."""
        self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, orjson.dumps(body)))

    def kept(self, name: str) -> Any:  # noqa: ANN401 -- any JSON
        """Return the value stored by a name; None without one."""
        row = self._db.execute("SELECT body FROM kept WHERE name = ?", (name,)).fetchone()
        return orjson.loads(row[0]) if row else None

    def _keep_layout(self, layout: Layout) -> None:
        if layout.hash not in self._layouts:
            wire = orjson.dumps(layout.to_wire())
            self._db.execute("INSERT OR IGNORE INTO layout (hash, wire) VALUES (?, ?)", (layout.hash, wire))
            self._layouts[layout.hash] = layout

    def _layout(self, key: str) -> Layout:
        if key not in self._layouts:
            (wire,) = self._db.execute("SELECT wire FROM layout WHERE hash = ?", (key,)).fetchone()
            self._layouts[key] = layout_from_wire(orjson.loads(wire))[0]
        return self._layouts[key]

    @staticmethod
    def _batch(layout: Layout, frames: Sequence[tuple[int, int, bytes]]) -> Batch:
        width = len(layout.series)
        return Batch(
            layout,
            ids=tuple(id_ for id_, _, _ in frames),
            t_ms=tuple(t_ms for _, t_ms, _ in frames),
            rows=tuple(struct.unpack(f"<{width}d", vals) for _, _, vals in frames),
        )

    def _transaction(self) -> _Transaction:
        return _Transaction(self._db)


class _Transaction:
    """BEGIN … COMMIT, or ROLLBACK on an exception."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")
