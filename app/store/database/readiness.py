"""Whether the database can be written now: not locked, not read-only, with space on its disk."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

from sqlalchemy import Engine, text

from app.errors import Unavailable

LEAST_FREE_BYTES = 64 * 2**20
_PATIENCE_S = 5.0


def require_writable(engine: Engine, least_free_bytes: int = LEAST_FREE_BYTES, patience_s: float = _PATIENCE_S) -> None:
    """Check that a transaction can write. Nothing is written.

    Raises
    ------
    Unavailable
        SQLite: another process holds the lock, the file cannot be written, or its disk has less than
        `least_free_bytes`. PostgreSQL: the server accepts only reading.
    """
    if engine.dialect.name == "sqlite":
        _require_writable_file(Path(str(engine.url.database)), least_free_bytes, patience_s)
        return
    with engine.connect() as connection:
        if connection.execute(text("SHOW transaction_read_only")).scalar_one() == "on":
            raise Unavailable("the database may only be read", "connect to the primary server", code="not_ready")


def _require_writable_file(file: Path, least_free_bytes: int, patience_s: float) -> None:
    free = shutil.disk_usage(file.parent).free
    if free < least_free_bytes:
        raise Unavailable(
            f"the disk of {file} has {free // 2**20} MB free",
            "free space there; collectors keep what they read",
            code="disk_full",
        )
    try:
        with contextlib.closing(sqlite3.connect(file, timeout=patience_s, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as error:
        raise Unavailable(
            f"{file} cannot be written: {error}",
            "look for another process that holds it, and at its permissions",
            code="not_ready",
        ) from error
