"""Many rows in one statement, in the form that is fastest on each engine.

SQLite takes a prepared statement and tuples, PostgreSQL one array per column. Where tables are distributed the rows are
listed as VALUES: rows from a query are pulled to the coordinator before any is stored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    String,
    Table,
    any_,
    bindparam,
    literal,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite

from app.store.database.citus import is_spread

_MOST_ROWS = 512
"""Rows of one statement; with the widest table far below the 65,535 parameters that PostgreSQL takes."""
_ROWS_AT_ONCE = 5000


def insertion(connection: Connection, table: Table) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT in the dialect of a connection, with its `ON CONFLICT` and `excluded`."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def upsert(
    connection: Connection,
    table: Table,
    columns: Mapping[str, Sequence[object]],
    *,
    least: str | None = None,
    greatest: str | None = None,
) -> None:
    """Insert rows given as columns of equal length; update a row whose primary key exists.

    The columns `least` and `greatest` get the lesser or greater of the old and the new value.
    """
    if not next(iter(columns.values()), ()):
        return
    shape = _Upsert(table, tuple(columns), least, greatest)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(shape.of_one("?"), list(zip(*columns.values(), strict=True)))
    elif is_spread(connection):
        rows = list(zip(*columns.values(), strict=True))
        for part in _powers(len(rows)):
            connection.exec_driver_sql(
                shape.of_rows(part.stop - part.start), tuple(v for row in rows[part] for v in row)
            )
    else:
        statement = shape.of_arrays(connection.dialect)
        connection.exec_driver_sql(statement, tuple(list(column) for column in columns.values()))


def _powers(n: int) -> list[slice]:
    """Divide n rows into parts of 512, 256, 128, … so that few different statements are prepared."""
    found, begin, size = [], 0, _MOST_ROWS
    while begin < n:
        while size > n - begin:
            size //= 2
        found.append(slice(begin, begin + size))
        begin += size
    return found


@dataclass(frozen=True)
class _Upsert:
    """The upsert of some columns of a table."""

    table: Table
    names: tuple[str, ...]
    least: str | None
    greatest: str | None

    def of_one(self, mark: str) -> str:
        """Return the statement for one row, as SQLite takes it."""
        return f"{self._target} VALUES ({', '.join(mark for _ in self.names)}) {self._conflict('min', 'max')}"

    @lru_cache(maxsize=256)  # noqa: B019 (an upsert is a value: few of them exist)
    def of_rows(self, n: int) -> str:
        """Return the statement for n rows."""
        row = f"({', '.join('%b' for _ in self.names)})"
        return f"{self._target} VALUES {', '.join([row] * n)} {self._conflict('least', 'greatest')}"

    @lru_cache(maxsize=64)  # noqa: B019
    def of_arrays(self, dialect: Dialect) -> str:
        """Return the statement for any number of rows, given as one array per column."""
        arrays = ", ".join(f"%b::{self.table.c[name].type.compile(dialect)}[]" for name in self.names)
        return f"{self._target} SELECT * FROM unnest({arrays}) AS given {self._conflict('least', 'greatest')}"  # noqa: S608

    @property
    def _target(self) -> str:
        return f"INSERT INTO {self.table.name} ({', '.join(self.names)})"  # names are our own tables'

    def _conflict(self, least: str, greatest: str) -> str:
        keys, chosen = [column.name for column in self.table.primary_key], {self.least: least, self.greatest: greatest}
        given = {name: f"excluded.{name}" for name in self.names}
        given |= {
            name: f"{chosen[name]}({self.table.name}.{name}, excluded.{name})" for name in self.names if name in chosen
        }
        updates = ", ".join(f"{name} = {value}" for name, value in given.items() if name not in keys)
        return f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {updates}"


def raw(
    connection: Connection, statement: Executable, given: Mapping[str, object] | None = None
) -> list[tuple[Any, ...]]:
    """Return rows as the driver reads them, without SQLAlchemy's type conversion, which takes most of the time."""
    return cast("list[tuple[Any, ...]]", connection.execute(statement, given).cursor.fetchall())


def raw_in_parts(
    connection: Connection, statement: Executable, given: Mapping[str, object] | None = None
) -> Iterator[tuple[Any, ...]]:
    """Return the same rows, made a few thousand at a time: millions of small objects at once break up the memory."""
    cursor = connection.execute(statement, given).cursor
    while rows := cursor.fetchmany(_ROWS_AT_ONCE):
        yield from rows


def among(connection: Connection, column: ColumnElement[int], values: Sequence[int]) -> ColumnElement[bool]:
    """Return the condition that `column` is one of `values`, with one parameter for any number of them."""
    if connection.dialect.name == "sqlite":
        return _in_json(column, values)
    return column == any_(literal(values, ARRAY(BigInteger)))


def among_texts(connection: Connection, column: ColumnElement[str], values: Sequence[str]) -> ColumnElement[bool]:
    """Do the same as `among` for text."""
    if connection.dialect.name == "sqlite":
        return _in_json(column, values)
    return column == any_(literal(values, ARRAY(String)))


def among_given(dialect: str, column: ColumnElement[Any]) -> ColumnElement[bool]:
    """Do the same as `among` for a statement that is built once and executed with `given_list` of the values."""
    if dialect == "sqlite":
        return column.bool_op("IN")(text("(SELECT value FROM json_each(:given))"))
    return column == any_(bindparam("given", type_=ARRAY(column.type)))


def given_list(dialect: str, values: Sequence[object]) -> dict[str, object]:
    """Return the parameters of a statement with `among_given`."""
    return {"given": json.dumps(values) if dialect == "sqlite" else list(values)}


def _in_json(column: ColumnElement[Any], values: Sequence[object]) -> ColumnElement[bool]:
    """Return the condition as text: building it of functions took longer than most queries that have it."""
    given: BindParameter[str] = bindparam("each", json.dumps(values), unique=True)
    return column.bool_op("IN")(text("(SELECT value FROM json_each(:each))").bindparams(given))
