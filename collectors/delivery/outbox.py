"""What was read and not yet acknowledged by the server, in a SQLite file that survives restarts.

Frames stay until the server has taken them. What it will never take goes to the `dead_letter` table, where a person can
look at it, and holds nobody up. The outbox is bounded: when it is full the oldest frames are kept and new ones are
turned away and counted, so that an outage is recorded without a hole from its beginning on. Of the dead letters
the newest are kept.

Writes go through SQLite's write-ahead log: they survive the death of the process at once, and a power cut except
for the last moments.
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
        """As `POST /api/v1/ingest` takes it; values by series."""
        columns = [list(column) for column in zip(*self.rows, strict=True)]
        head = {"device": self.layout.device, "group": self.layout.group, "layout": self.layout.hash}
        return {**head, "t": list(self.t_ms), "values": columns}


@dataclass(frozen=True)
class StoredNote:
    """A failed poll or an event on its way."""

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
        self.turned_away = 0

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def put(self, frames: Iterable[Frame]) -> int:
        """Keep frames; returns how many were turned away because the outbox is full."""
        given = list(frames)
        room = max(0, self._max_frames - self.waiting)
        taken = given[:room]
        with self._transaction():
            for frame in taken:
                self._keep_layout(frame.layout)
                row = (frame.layout.hash, frame.t_ms, struct.pack(f"<{len(frame.values)}d", *frame.values))
                self._db.execute("INSERT INTO frame (layout, t_ms, vals) VALUES (?, ?, ?)", row)
        self.waiting += len(taken)
        self.turned_away += len(given) - len(taken)
        return len(given) - len(taken)

    def newest(self) -> int:
        """Id of the frame that was put last; 0 when none waits."""
        return int(self._db.execute("SELECT coalesce(max(id), 0) FROM frame").fetchone()[0])

    def batches(self, max_frames: int, newest: int = _LAST_ID) -> list[Batch]:
        """The oldest frames up to an id, at most so many, by layout. A moment stands once in a batch: a second frame
        of the same time (a clock that was set back) waits for the next."""
        found: dict[str, dict[int, tuple[int, int, bytes]]] = {}
        query = "SELECT id, layout, t_ms, vals FROM frame WHERE id <= ? ORDER BY id LIMIT ?"
        rows = self._db.execute(query, (newest, max_frames))
        for id_, layout, t_ms, vals in rows:
            found.setdefault(layout, {}).setdefault(t_ms, (id_, t_ms, vals))
        return [self._batch(self._layout(key), [frames[t] for t in sorted(frames)]) for key, frames in found.items()]

    def acknowledge(self, ids: Sequence[int]) -> None:
        """The server has these."""
        with self._transaction():
            self._db.executemany("DELETE FROM frame WHERE id = ?", ((id_,) for id_ in ids))
        self.waiting -= len(ids)

    def dead_letter(self, ids: Sequence[int], at_ms: int, code: str, detail: str) -> None:
        """The server will never take these frames: move them to the dead letters."""
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
        """The dead letters: code, detail, time of the frame."""
        return self._db.execute("SELECT code, detail, t_ms FROM dead_letter ORDER BY id").fetchall()

    def unannounced(self, hashes: Iterable[str]) -> list[Layout]:
        """Those layouts that the server was not told yet."""
        told = {key for (key,) in self._db.execute("SELECT hash FROM layout WHERE announced")}
        return [self._layout(key) for key in dict.fromkeys(hashes) if key not in told]

    def set_announced(self, hashes: Iterable[str], told: bool) -> None:
        """The server knows these layouts, or (a new server) does not."""
        with self._transaction():
            change = "UPDATE layout SET announced = ? WHERE hash = ?"
            self._db.executemany(change, ((int(told), key) for key in hashes))

    def put_note(self, kind: NoteKind, body: Mapping[str, Any]) -> None:
        """Keep a failed poll or an event; bounded like the frames."""
        (count,) = self._db.execute("SELECT count(*) FROM note").fetchone()
        if count < self._max_frames:
            self._db.execute("INSERT INTO note (kind, body) VALUES (?, ?)", (kind, orjson.dumps(dict(body))))

    def notes(self, kind: NoteKind, limit: int) -> list[StoredNote]:
        """The oldest notes of a kind."""
        rows = self._db.execute("SELECT id, body FROM note WHERE kind = ? ORDER BY id LIMIT ?", (kind, limit))
        return [StoredNote(id_, orjson.loads(body)) for id_, body in rows]

    def drop_notes(self, ids: Iterable[int]) -> None:
        """The server has these notes."""
        with self._transaction():
            self._db.executemany("DELETE FROM note WHERE id = ?", ((id_,) for id_ in ids))

    def dead_letter_note(self, note: StoredNote, at_ms: int, code: str, detail: str) -> None:
        """The server will never take this note."""
        row = (at_ms, code, detail, orjson.dumps(dict(note.body)))
        with self._transaction():
            self._db.execute(
                "INSERT INTO dead_letter (at_ms, code, detail, kind, body) VALUES (?, ?, ?, 'note', ?)", row
            )
            self._db.execute("DELETE FROM note WHERE id = ?", (note.id,))

    def keep(self, name: str, body: Any) -> None:  # noqa: ANN401 -- any JSON
        """Remember a thing by name across restarts."""
        self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, orjson.dumps(body)))

    def kept(self, name: str) -> Any:  # noqa: ANN401 -- any JSON
        """The thing remembered by a name; None when there is none."""
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
    """BEGIN … COMMIT, or ROLLBACK when something went wrong."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")
