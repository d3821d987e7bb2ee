"""Database connections: SQLite for a laptop or a row of racks, PostgreSQL for a site."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError

from app import paths
from app.errors import WattlineError

__all__ = ["Engine", "migrate", "open_engine", "reading", "take_turns", "writing"]

BUSY_TIMEOUT_MS = 30_000
COPY_PROGRESS = "copy_progress"
"""A table that a database has while it is copied into."""
POOL_SIZE, MOST_CONNECTIONS = 10, 40
"""Connections of one process to PostgreSQL that stay open, and at most: two servers fit into the 100 of a stock
PostgreSQL, with some left for commands and backups.
"""
_MIGRATION_LOCK = 0x57617474
_BEFORE_FIRST_RELEASE = re.compile(r"\d{4}")
_PRAGMAS = (
    "page_size = 2048",  # of new files: a database without readings is half as large, readings take a few per cent less
    f"busy_timeout = {BUSY_TIMEOUT_MS}",
    "synchronous = FULL",  # an acknowledged frame survives a power cut
    "foreign_keys = ON",
    "journal_size_limit = 67108864",
    "cache_size = -8000",
)


class UnknownSchema(WattlineError):
    """The database has a schema that this version can neither use nor upgrade."""

    code = "unknown_schema"


class BadDatabaseUrl(ValueError):
    """The URL names no database that can be opened."""


def open_engine(url: str) -> Engine:
    """Return an engine for `sqlite:///path/to/file.db` or `postgresql://user@host/name`; nothing is created yet.

    Connections may be used from any thread, one thread at a time each.

    Raises
    ------
    BadDatabaseUrl
        It is not a URL, names another kind of database, or names no file that SQLite can create.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise BadDatabaseUrl("it is not a URL: use sqlite:///file.db or postgresql://user@host/name") from error
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _open_sqlite(parsed)
    if backend in ("postgresql", "postgres"):
        return _open_postgresql(parsed)
    raise BadDatabaseUrl(f"{backend} is not supported: use sqlite:///file.db or postgresql://user@host/name")


def _open_sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise BadDatabaseUrl("SQLite needs a file: sqlite:///path/to/wattline.db")
    folder = Path(url.database).expanduser().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadDatabaseUrl(f"the folder {folder} cannot be created: {error.strerror}") from error
    engine = create_engine(
        url.set(database=str(Path(url.database).expanduser())),
        pool_size=4,  # each connection that stays open has a page cache of 8 MB
        max_overflow=60,
        pool_use_lifo=True,  # the fewest possible fill theirs
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False},
    )
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # SQLAlchemy begins transactions, not the driver
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    _write_ahead(connection)


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Switch a new file to WAL. While another process does the same SQLite answers `locked` without waiting."""
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("wattline_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _open_postgresql(url: URL) -> Engine:
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_size=POOL_SIZE,
        max_overflow=MOST_CONNECTIONS - POOL_SIZE,
        pool_pre_ping=True,
        connect_args={"connect_timeout": 10, "application_name": "wattline"},
    )


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that writes: committed at the end, rolled back on any error.

    SQLite takes the write lock at once, so that nothing read in the transaction changes before it writes.
    """
    with engine.connect().execution_options(wattline_writes=True) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that only reads: all its statements see the same snapshot."""
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield connection


def take_turns(connection: Connection, lock: int) -> None:
    """Wait until no other transaction holds `lock`, then hold it until this one ends. SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": lock})


def is_empty(engine: Engine) -> bool:
    """Return whether the database answers and has no table yet."""
    return not inspect(engine).get_table_names()


def schema_is_current(engine: Engine) -> bool:
    """Return whether the database answers and has the schema of this version."""
    with engine.connect() as connection:
        return _stored_revisions(connection) == set(ScriptDirectory.from_config(_migrations()).get_heads())


def require_current_schema(engine: Engine) -> None:
    """Check that the database has the schema of this version.

    Raises
    ------
    UnknownSchema
    """
    if not schema_is_current(engine):
        raise UnknownSchema(
            f"{engine.url.render_as_string()} has not the schema of this version",
            "set WATTLINE_DATA_DIR or WATTLINE_DATABASE_URL to the database of the server, or create or upgrade this "
            "one with `wattline db upgrade`",
        )


def require_known_schema(engine: Engine) -> None:
    """Check that this version can use or upgrade the schema.

    Raises
    ------
    UnknownSchema
    """
    with engine.connect() as connection:
        stored = _stored_revisions(connection)
    if not stored:
        raise UnknownSchema("the database has no schema of Wattline", "give a backup of a Wattline database")
    _require_known(stored, _migrations())


def migrate(engine: Engine) -> None:
    """Upgrade the schema to the newest revision; processes that start at the same time wait for each other.

    Raises
    ------
    UnknownSchema
        The database is of a version before the first release, or of a newer version than this one, or an unfinished
        copy.
    """
    config = _migrations()
    with writing(engine) as connection:
        take_turns(connection, _MIGRATION_LOCK)
        if inspect(connection).has_table(COPY_PROGRESS):
            raise UnknownSchema(
                "the database is an unfinished copy of another one", "finish it: run the same `wattline db copy` again"
            )
        _require_known(_stored_revisions(connection), config)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", str(paths.migrations()))
    return config


def _stored_revisions(connection: Connection) -> set[str]:
    return set(MigrationContext.configure(connection).get_current_heads())


def _require_known(stored: set[str], config: Config) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    for revision in sorted(stored - known):
        if _BEFORE_FIRST_RELEASE.fullmatch(revision):
            raise UnknownSchema(
                f"the database has schema revision {revision}, from before the first release, and cannot be upgraded",
                "set WATTLINE_DATABASE_URL to a new database; apply the facility file and import the readings there",
            )
        raise UnknownSchema(
            f"the database has schema revision {revision}, which this version of Wattline does not know",
            "use the version of Wattline that last upgraded this database, or a newer one",
        )
