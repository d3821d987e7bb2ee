"""Explain why the database cannot be read or written now, from the errors of both engines."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import psycopg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError, TimeoutError

ERRORS: tuple[type[SQLAlchemyError], ...] = (DBAPIError, TimeoutError)
"""Errors that `fault` can explain."""


@dataclass(frozen=True)
class Fault:
    """A temporary problem of the database and the suggested fix. The transaction it stopped stored nothing."""

    code: str
    detail: str
    hint: str


BUSY = Fault("database_busy", "the database is busy with another writer", "send the same again in a moment")
GONE = Fault("database_gone", "the database does not answer", "send the same again in a moment")
FULL = Fault("database_full", "the disk of the database is full", "free space there; collectors keep what they read")
LOCKED_UP = Fault("database_read_only", "the database may only be read", "give the server write access to its file")
BROKEN = Fault("database_io", "the disk of the database fails", "look at the server's log and at the disk")
DAMAGED = Fault(
    "database_damaged",
    "the database file is damaged",
    "stop the server and restore a backup: wattline db restore --replace FILE; collectors keep what they read",
)

_SQLITE = {
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: LOCKED_UP,
    sqlite3.SQLITE_IOERR: BROKEN,
    sqlite3.SQLITE_CANTOPEN: GONE,
}
_POSTGRESQL: tuple[tuple[type[psycopg.Error], Fault], ...] = (
    (psycopg.errors.DiskFull, FULL),
    (psycopg.errors.ReadOnlySqlTransaction, LOCKED_UP),
    (psycopg.errors.IoError, BROKEN),
    (psycopg.errors.DeadlockDetected, BUSY),
    (psycopg.errors.SerializationFailure, BUSY),
    (psycopg.errors.LockNotAvailable, BUSY),
    (psycopg.errors.TooManyConnections, BUSY),
)
_CLOSED = "server closed the connection unexpectedly"
"""Citus passes on without an SQLSTATE of its own that a worker ended in the middle of a statement."""


def fault(error: Exception) -> Fault | None:
    """Return the temporary problem behind an error; None for an error that would occur again."""
    if isinstance(error, TimeoutError):
        return BUSY
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)
    for kind, found in _POSTGRESQL:
        if isinstance(cause, kind):
            return found
    if isinstance(cause, psycopg.errors.InternalError_) and _CLOSED in str(cause):
        return GONE
    return GONE if isinstance(error, (OperationalError, InterfaceError)) else None


def driver_says(error: Exception) -> str:
    """Return the first line of the driver's message."""
    return str(error.orig if isinstance(error, DBAPIError) else error).strip().partition("\n")[0]
