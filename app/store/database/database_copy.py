"""Copy a whole database into another one, of any kind: in batches, resumable, compared at the end."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Float,
    LargeBinary,
    MetaData,
    String,
    Table,
    cast,
    func,
    inspect,
    select,
    text,
    tuple_,
)

from app.errors import Conflict, Invalid
from app.models import METADATA
from app.store.database.engine import (
    COPY_PROGRESS,
    Engine,
    UnknownSchema,
    is_empty,
    migrate,
    reading,
    schema_is_current,
    writing,
)

_BATCH_ROWS, _BATCH_ROWS_OF_READINGS = 5_000, 500
_DIGEST_BYTES = 8
_PROGRESS = Table(
    COPY_PROGRESS,
    MetaData(),
    Column("table_name", String, primary_key=True),
    Column("last_key", String, nullable=False),
)
_SOURCE = ""  # the row of the progress table that names the source

Row = Sequence[Any]


@dataclass(frozen=True, slots=True)
class TableFingerprint:
    """Rows of a table, and a checksum of their contents that does not depend on their order."""

    table: str
    rows: int
    checksum: str


def copy_database(source: Engine, target: Engine, report: Callable[[str, int], None]) -> list[TableFingerprint]:
    """Copy every table into an empty database, or continue a copy that was interrupted; compare both at the end.

    No server may run on either. `report` is called with each table and the number of rows that this call copied.

    Raises
    ------
    UnknownSchema
        The source has not the schema of this version.
    Conflict
        The target has data that are not of an unfinished copy of this source.
    Invalid
        Source and target differ after the copy.
    """
    _require_source(source)
    _prepare(source, target)
    for table in METADATA.sorted_tables:
        report(table.name, _copy_table(source, target, table))
    found = _compared(source, target)
    with writing(target) as connection:
        _continue_numbers(connection)
        _PROGRESS.drop(connection)
    return found


def fingerprint(engine: Engine, table: Table) -> TableFingerprint:
    """Return rows and checksum of a table."""
    rows, total = 0, 0
    with reading(engine) as connection:
        for batch in _batches(connection, table, None):
            rows += len(batch)
            total += sum(_digest(table, row) for row in batch)
    return TableFingerprint(table.name, rows, f"{total % 2 ** (8 * _DIGEST_BYTES):0{2 * _DIGEST_BYTES}x}")


def _require_source(source: Engine) -> None:
    where = source.url.render_as_string()
    if not schema_is_current(source):
        raise UnknownSchema(f"{where} has not the schema of this version", "upgrade it with `wattline db upgrade`")
    if inspect(source).has_table(COPY_PROGRESS):
        raise Conflict(f"{where} is itself an unfinished copy", "finish that copy first", code="copy_unfinished")


def _prepare(source: Engine, target: Engine) -> None:
    """Create the tables of the target, or check that it holds an unfinished copy of this source."""
    origin, where = source.url.render_as_string(), target.url.render_as_string()
    if is_empty(target):
        migrate(target)
    if not schema_is_current(target):
        raise UnknownSchema(f"{where} has not the schema of this version", "copy into an empty database")
    with writing(target) as connection:
        if inspect(connection).has_table(COPY_PROGRESS):
            known = connection.scalar(select(_PROGRESS.c.last_key).where(_PROGRESS.c.table_name == _SOURCE))
            if known != origin:
                detail = f"{where} holds an unfinished copy of {known}"
                raise Conflict(detail, "finish that one, or copy into an empty database", code="database_not_empty")
            return
        if any(connection.scalar(select(func.count()).select_from(table)) for table in METADATA.sorted_tables):
            raise Conflict(f"{where} has data", "copy into an empty database", code="database_not_empty")
        _PROGRESS.create(connection)
        connection.execute(_PROGRESS.insert().values(table_name=_SOURCE, last_key=origin))


def _copy_table(source: Engine, target: Engine, table: Table) -> int:
    """Copy the rows after the last one that is copied; each batch and its progress in one transaction."""
    count = 0
    keys = [list(table.c).index(column) for column in table.primary_key]
    with target.connect() as connection:
        stored = connection.scalar(select(_PROGRESS.c.last_key).where(_PROGRESS.c.table_name == table.name))
    with reading(source) as connection:
        for batch in _batches(connection, table, None if stored is None else json.loads(stored)):
            last = json.dumps([batch[-1][i] for i in keys])
            with writing(target) as into:
                _insert(into, table, batch)
                into.execute(_PROGRESS.delete().where(_PROGRESS.c.table_name == table.name))
                into.execute(_PROGRESS.insert().values(table_name=table.name, last_key=last))
            count += len(batch)
    return count


def _batches(connection: Connection, table: Table, after: Sequence[object] | None) -> Iterator[list[Row]]:
    """Yield the rows in order of the primary key, after a key; JSON as the text that is stored."""
    keys = list(table.primary_key)
    columns = [cast(c, String).label(c.name) if isinstance(c.type, JSON) else c for c in table.c]
    has_readings = any(isinstance(c.type, LargeBinary) for c in table.c)
    most = _BATCH_ROWS_OF_READINGS if has_readings else _BATCH_ROWS
    places = [list(table.c).index(key) for key in keys]
    while True:
        query = select(*columns).order_by(*keys).limit(most)
        if after is not None:
            query = query.where(tuple_(*keys) > tuple_(*after))
        rows: list[Row] = [tuple(row) for row in connection.execute(query)]
        if rows:
            yield rows
        if len(rows) < most:
            return
        after = [rows[-1][i] for i in places]


def _insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    quote = connection.dialect.identifier_preparer.quote
    names = ", ".join(quote(column.name) for column in table.c)
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(table.c))
        driver.executemany(f"INSERT INTO {quote(table.name)} ({names}) VALUES ({marks})", rows)  # noqa: S608
        return
    with driver.cursor() as cursor, cursor.copy(f"COPY {quote(table.name)} ({names}) FROM STDIN") as stream:
        for row in rows:
            stream.write_row(row)


def _digest(table: Table, row: Row) -> int:
    """Return a number of a row that is the same for equal contents on every engine."""
    values = [_plain(column, value) for column, value in zip(table.c, row, strict=True)]
    return int.from_bytes(hashlib.blake2b(repr(values).encode(), digest_size=_DIGEST_BYTES).digest(), "big")


def _plain(column: Column[Any], value: object) -> object:
    if isinstance(value, bytes | memoryview):
        return hashlib.blake2b(value, digest_size=16).hexdigest()
    if isinstance(column.type, Float) and isinstance(value, int | float):
        return float(value) + 0.0  # SQLite stores -0.0 as 0
    return value


def _compared(source: Engine, target: Engine) -> list[TableFingerprint]:
    """Return the fingerprints of the target, which are those of the source."""
    pairs = [(fingerprint(source, table), fingerprint(target, table)) for table in METADATA.sorted_tables]
    if different := [f"{one.table} ({one.rows} and {two.rows} rows)" for one, two in pairs if one != two]:
        raise Invalid(
            f"source and copy differ in {', '.join(different)}",
            "a program changed one of them meanwhile: stop every server and copy again into an empty database",
            code="copy_differs",
        )
    return [copied for _, copied in pairs]


def _continue_numbers(connection: Connection) -> None:
    """Let the numbers that PostgreSQL gives to new rows continue after those that were copied."""
    if connection.dialect.name == "sqlite":
        return
    for table in METADATA.sorted_tables:
        column = table.autoincrement_column
        if column is None:
            continue
        names = {"table": connection.dialect.identifier_preparer.quote(table.name), "column": column.name}
        sequence = connection.scalar(text("SELECT pg_get_serial_sequence(:table, :column)"), names)
        largest = connection.scalar(select(func.max(column)))
        if sequence is not None and largest is not None:
            connection.execute(text("SELECT setval(:sequence, :largest)"), {"sequence": sequence, "largest": largest})
