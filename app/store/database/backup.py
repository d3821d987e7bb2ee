"""Back up and restore a database, verified before the result counts."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, func, inspect, select, table, text
from sqlalchemy.exc import DatabaseError

from app.errors import Conflict, Invalid, NotFound, Unavailable
from app.store.database.engine import Engine, is_empty, open_engine, require_known_schema

_SQLITE, _POSTGRESQL = b"SQLite format 3\0", b"PGDMP"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A verified backup, or what was restored from one: its size, tables and rows.

    `replaced` is the file to which the former database was moved.
    """

    path: Path
    size_bytes: int
    tables: int
    rows: int
    replaced: Path | None = None


def backup(engine: Engine, to: Path) -> BackupReport:
    """Write a consistent copy of a database that may be in use: a SQLite file, or a dump of pg_dump.

    Raises
    ------
    Conflict, NotFound
        The file exists; its directory does not.
    Unavailable
        pg_dump is missing or failed.
    Invalid
        The copy is damaged, or the directory cannot be written.
    """
    if to.exists():
        raise Conflict(f"{to} exists", "choose another name: a backup never overwrites a file", code="file_exists")
    if not to.parent.is_dir():
        raise NotFound(f"there is no directory {to.parent}", "create it, or choose another file")
    partial = to.with_name(f"{to.name}.partial")
    try:
        _make_private(partial)
        if engine.dialect.name == "sqlite":
            _execute(Path(str(engine.url.database)), "VACUUM INTO ?", str(partial))
            tables, rows = _verified_sqlite(partial)
        else:
            _run("pg_dump", engine.url, "--format=custom", f"--file={partial}")
            tables, rows = _counts(engine)
            _run("pg_restore", None, "--list", str(partial))
        partial.replace(to)
    except (OSError, sqlite3.OperationalError) as error:
        raise Invalid(f"cannot write {to}: {error}", "choose a directory that is writable and has space") from error
    finally:
        partial.unlink(missing_ok=True)
    return BackupReport(to, to.stat().st_size, tables, rows)


def restore(engine: Engine, source: Path, *, replace: bool = False, suffix: str = "before-restore") -> BackupReport:
    """Restore a backup: into a new SQLite file (with `replace`, the former one is kept aside) or an empty PostgreSQL
    database. No server may run on it meanwhile.

    Raises
    ------
    NotFound, Invalid
        There is no such file; it is not a backup of this kind of database, or is damaged.
    Conflict
        The database has data.
    """
    _require_kind(source, _SQLITE if engine.dialect.name == "sqlite" else _POSTGRESQL)
    if engine.dialect.name == "sqlite":
        return _restore_sqlite(Path(str(engine.url.database)), source, replace, suffix)
    if not is_empty(engine):
        raise Conflict(
            f"the database {engine.url.render_as_string()} has tables",
            "restore into an empty database (createdb NAME) and set WATTLINE_DATABASE_URL to it",
            code="database_not_empty",
        )
    _run("pg_restore", engine.url, "--exit-on-error", "--single-transaction", "--no-owner", str(source))
    require_known_schema(engine)
    return BackupReport(source, source.stat().st_size, *_counts(engine))


def _restore_sqlite(target: Path, source: Path, replace: bool, suffix: str) -> BackupReport:
    if target.exists() and not replace:
        raise Conflict(
            f"the database {target} exists",
            "give --replace to move it aside, or set WATTLINE_DATA_DIR to another directory",
            code="database_exists",
        )
    partial = target.with_name(f"{target.name}.partial")
    try:
        _make_private(partial)
        shutil.copyfile(source, partial)
        tables, rows = _verified_sqlite(partial)
        aside = _move_aside(target, suffix) if target.exists() else None
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return BackupReport(source, target.stat().st_size, tables, rows, aside)


def _make_private(file: Path) -> None:
    """Make an empty file that its owner alone can read: hashes of passwords and tokens are written into it."""
    file.unlink(missing_ok=True)
    file.touch(mode=0o600, exist_ok=False)


def _move_aside(target: Path, suffix: str) -> Path:
    """Rename a database and the two files that SQLite keeps beside it."""
    aside = target.with_name(f"{target.name}.{suffix}")
    for ending in ("", "-wal", "-shm"):
        file = target.with_name(target.name + ending)
        if file.exists():
            file.replace(aside.with_name(aside.name + ending))
    return aside


def _require_kind(source: Path, header: bytes) -> None:
    try:
        with source.open("rb") as file:
            found = file.read(len(header))
    except OSError as error:
        raise NotFound(
            f"cannot read {source}: {error.strerror}", "give the file that wattline db backup wrote"
        ) from error
    if found != header:
        kind = "a SQLite database" if header == _SQLITE else "a dump of pg_dump --format=custom"
        raise Invalid(
            f"{source} is not {kind}", "restore it into the kind of database it was made of", code="no_backup"
        )


def _verified_sqlite(file: Path) -> tuple[int, int]:
    """Return tables and rows of a SQLite file whose pages are intact and whose schema is known."""
    engine = open_engine(f"sqlite:///{file}")
    try:
        with engine.connect() as connection:
            problem = str(connection.execute(text("PRAGMA integrity_check(1)")).scalar_one())
        if problem != "ok":
            raise _damaged(file, problem)
        require_known_schema(engine)
        counts = _counts(engine)
        engine.dispose()
        _execute(file, "PRAGMA journal_mode = DELETE")  # one file again, without the two that WAL needs
        return counts
    except DatabaseError as error:
        raise _damaged(file, str(error.orig)) from error
    finally:
        engine.dispose()


def _execute(file: Path, statement: str, *values: str) -> None:
    """Execute a statement that SQLite allows outside of a transaction only."""
    with contextlib.closing(sqlite3.connect(file, timeout=30.0, isolation_level=None)) as connection:
        connection.execute(statement, values)


def _damaged(file: Path, problem: str) -> Invalid:
    return Invalid(f"{file} is damaged: {problem}", "use an older backup", code="damaged_backup")


def _counts(engine: Engine) -> tuple[int, int]:
    names = inspect(engine).get_table_names()
    with engine.connect() as connection:
        return len(names), sum(connection.scalar(select(func.count()).select_from(table(name))) or 0 for name in names)


def _run(program: str, url: URL | None, *arguments: str) -> None:
    """Run a program of PostgreSQL; the password is passed in the environment, where other users do not see it."""
    command, environment = [program, *arguments], dict(os.environ)
    if url is not None:
        if url.password is not None:
            environment["PGPASSWORD"] = str(url.password)
        plain = url.set(drivername="postgresql", password=None).render_as_string()
        command.append(f"--dbname={plain}")
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        raise Unavailable(f"{program} is not installed", "install the client programs of PostgreSQL") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise Unavailable(f"{program} failed: {lines[0]}", "its version must not be older than the server's")
