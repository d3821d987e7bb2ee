"""Why a database cannot be read or written now. The one place that knows what its errors look like."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

import psycopg
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError, TimeoutError

ERRORS: tuple[type[SQLAlchemyError], ...] = (DBAPIError, TimeoutError)
"""What `fault` can tell apart."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with the database for now, and the way out. Nothing of the transaction it stopped was stored."""

    code: str
    detail: str
    hint: str


BUSY = Fault("database_busy", "the database is busy with another writer", "send the same again in a moment")
GONE = Fault("database_gone", "the database does not answer", "send the same again in a moment")
FULL = Fault("database_full", "the disk of the database is full", "free space there; collectors keep what they read")
LOCKED_UP = Fault("database_read_only", "the database may only be read", "give the server write access to its file")
BROKEN = Fault("database_io", "the disk of the database fails", "look at the server's log and at the disk")

_SQLITE = {
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


def fault(error: Exception) -> Fault | None:
    """What is wrong for now; None for an error that would come again."""
    if isinstance(error, TimeoutError):
        return BUSY
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        return _SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF)
    for kind, found in _POSTGRESQL:
        if isinstance(cause, kind):
            return found
    return GONE if isinstance(error, (OperationalError, InterfaceError)) else None


def driver_says(error: Exception) -> str:
    """The first line of what the database's driver said."""
    return str(error.orig if isinstance(error, DBAPIError) else error).strip().partition("\n")[0]
