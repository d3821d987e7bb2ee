"""What every table shares: one metadata with named constraints, column types, and the way to its Core table."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from sqlalchemy import JSON, BigInteger, Integer, MetaData, Table
from sqlmodel import SQLModel

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    }
)

MILLISECONDS = BigInteger
IDENTITY = BigInteger().with_variant(Integer(), "sqlite")
"""Numbers itself on both engines: SQLite only counts up in a column that is spelled INTEGER."""
DOCUMENT = JSON(none_as_null=True)


class TableRow(SQLModel):
    """Base of all tables. A row is what the database holds; the store hands out plain dataclasses instead."""

    metadata: ClassVar[MetaData] = METADATA


def table(row: type[TableRow]) -> Table:
    """The Core table behind a model."""
    return cast("Table", cast("Any", row).__table__)
