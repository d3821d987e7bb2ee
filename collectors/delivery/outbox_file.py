"""The SQLite file of an outbox: schema, transactions, size and errors.

SQLite's write-ahead log survives a crash of the process; a power failure may lose the last moments.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from collectors.errors import OutboxError

_READING = "layout TEXT NOT NULL, t_ms INTEGER NOT NULL, vals BLOB NOT NULL, offset_ms INTEGER, fence INTEGER"
_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS layout (hash TEXT PRIMARY KEY, wire BLOB NOT NULL, announced INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS frame (id INTEGER PRIMARY KEY, {_READING});
CREATE TABLE IF NOT EXISTS future (id INTEGER PRIMARY KEY, {_READING});
CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS note_by_kind ON note (kind, id);
CREATE TABLE IF NOT EXISTS dead_letter (
  id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, code TEXT NOT NULL, detail TEXT NOT NULL,
  kind TEXT NOT NULL, layout TEXT, t_ms INTEGER, vals BLOB, body BLOB, offset_ms INTEGER, fence INTEGER);
CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, body BLOB NOT NULL);
"""
_ADDED = (("frame", "offset_ms"), ("frame", "fence"), ("dead_letter", "offset_ms"), ("dead_letter", "fence"))
"""Columns that a file of an earlier version does not have."""
_BUSY_S = 10.0
_RESERVE_BYTES = 8 * 2**20
"""Twice what SQLite's log takes before it is written back."""
_DISK_FULL, _MAKE_ROOM = "outbox_disk_full", "make room on its disk"


class OutboxFile:
    """An open outbox file. Used from one thread; several processes may have it open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reserve = path.with_name(f"{path.name}.reserve")
        self._is_full = False
        with self._explained():
            self._db = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.executescript(_SCHEMA)
            for table, column in _ADDED:
                known = {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}
                if column not in known:
                    self._db.execute(f"ALTER TABLE {table} ADD COLUMN {column} INTEGER")
            self._page_bytes = int(self._db.execute("PRAGMA page_size").fetchone()[0])
        self._keep_reserve()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def used_bytes(self) -> int:
        """Size of everything in the file, without free pages; its cost does not depend on how much that is."""
        (pages,), (free,) = self.read("PRAGMA page_count")[0], self.read("PRAGMA freelist_count")[0]
        return (int(pages) - int(free)) * self._page_bytes

    def require_room(self) -> None:
        """Check that there is room for more, after the disk was full.

        Raises
        ------
        OutboxError
            There is not: what is left is for deleting what is delivered.
        """
        if not self._is_full:
            return
        disk = os.statvfs(self._path.parent)
        free_pages = int(self.read("PRAGMA freelist_count")[0][0])
        if disk.f_bavail * disk.f_frsize + free_pages * self._page_bytes < 2 * _RESERVE_BYTES:
            raise OutboxError(f"outbox {self._path}: the disk is full", _MAKE_ROOM, _DISK_FULL)
        self._is_full = False
        self._keep_reserve()

    def _keep_reserve(self) -> None:
        """Occupy some space of the disk; without it a full disk could not even delete what is delivered."""
        if self._reserve.exists() or not hasattr(os, "posix_fallocate"):
            return
        try:
            with open(self._reserve, "wb") as file:
                os.posix_fallocate(file.fileno(), 0, _RESERVE_BYTES)
        except OSError:
            self._reserve.unlink(missing_ok=True)

    def read(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return the rows of a query.

        Raises
        ------
        OutboxError
            As every method: the file cannot be read or written.
        """
        with self._explained():
            return self._db.execute(query, values).fetchall()

    def write(self, statement: str, values: Sequence[object] = ()) -> int:
        """Run a statement and return the number of rows that it changed."""
        with self._explained():
            return self._db.execute(statement, values).rowcount

    def write_many(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row."""
        with self._explained():
            self._db.executemany(statement, rows)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Open a transaction that writes: all of it or, after an error, nothing."""
        self.write("BEGIN IMMEDIATE")
        try:
            yield
            self.write("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.rollback()
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
            if full:
                self._is_full = True
                self._reserve.unlink(missing_ok=True)
            hint = _MAKE_ROOM if full else "see docs/collectors.md"
            raise OutboxError(f"outbox {self._path}: {error}", hint, _DISK_FULL if full else None) from error
