"""Metadata with named constraints, column types, and access to Core tables, shared by all models."""

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
"""An automatic id on both engines: SQLite counts up only in a column declared INTEGER."""
DOCUMENT = JSON(none_as_null=True)


class TableRow(SQLModel):
    """Base of all tables. Stores return plain dataclasses, never rows."""

    metadata: ClassVar[MetaData] = METADATA


def table(row: type[TableRow]) -> Table:
    """The Core table behind a model."""
    return cast("Table", cast("Any", row).__table__)
