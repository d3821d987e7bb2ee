"""Many rows in one statement, in the form that is fastest on each engine.

SQLite takes a prepared statement and tuples; PostgreSQL takes one array per column, which stays a single router
statement where tables are distributed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Connection,
    Dialect,
    Executable,
    Select,
    String,
    Table,
    any_,
    func,
    literal,
    select,
)


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
    statement = _statement(table, tuple(columns), connection.dialect, least, greatest)
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(statement, list(zip(*columns.values(), strict=True)))
    else:
        connection.exec_driver_sql(statement, tuple(list(column) for column in columns.values()))


@lru_cache(maxsize=64)
def _statement(table: Table, names: tuple[str, ...], dialect: Dialect, least: str | None, greatest: str | None) -> str:
    keys = [column.name for column in table.primary_key]
    chosen = {least: "min", greatest: "max"} if dialect.name == "sqlite" else {least: "least", greatest: "greatest"}
    given = {name: f"excluded.{name}" for name in names}
    given |= {name: f"{chosen[name]}({table.name}.{name}, excluded.{name})" for name in names if name in chosen}
    updates = ", ".join(f"{name} = {value}" for name, value in given.items() if name not in keys)
    target = f"INSERT INTO {table.name} ({', '.join(names)})"  # names are our own tables'
    conflict = f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {updates}"
    if dialect.name == "sqlite":
        return f"{target} VALUES ({', '.join('?' * len(names))}) {conflict}"
    arrays = ", ".join(f"%b::{table.c[name].type.compile(dialect)}[]" for name in names)
    return f"{target} SELECT * FROM unnest({arrays}) AS given {conflict}"  # noqa: S608


def raw(
    connection: Connection, statement: Executable, given: Mapping[str, object] | None = None
) -> list[tuple[Any, ...]]:
    """Return rows as the driver reads them, without SQLAlchemy's type conversion, which takes most of the time."""
    return cast("list[tuple[Any, ...]]", connection.execute(statement, given).cursor.fetchall())


def among(connection: Connection, column: ColumnElement[int], values: Sequence[int]) -> ColumnElement[bool]:
    """Return the condition that `column` is one of `values`, with one parameter for any number of them."""
    if connection.dialect.name == "sqlite":
        return column.in_(_each(values))
    return column == any_(literal(values, ARRAY(BigInteger)))


def among_texts(connection: Connection, column: ColumnElement[str], values: Sequence[str]) -> ColumnElement[bool]:
    """Do the same as `among` for text."""
    if connection.dialect.name == "sqlite":
        return column.in_(_each(values))
    return column == any_(literal(values, ARRAY(String)))


def _each(values: Sequence[object]) -> Select[Any]:
    return select(func.json_each(json.dumps(values)).table_valued("value").c.value)
