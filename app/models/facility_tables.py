"""The tables of the facility and its past. A row is one version of one object, open while `valid_to_ms` is null."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Column, Float, Index, Integer, String, Table, text
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, METADATA, MILLISECONDS, TableRow
from app.models.declaration import Declared, column_type, declared_fields
from app.models.facility import OBJECTS, PowerConnection, Validity

_OPEN = text("valid_to_ms IS NULL")
_TYPES: dict[type, Any] = {str: String, int: Integer, float: Float}
_VALIDITY = frozenset(field.name for field in declared_fields(Validity))


def _versioned(name: str, class_: type, *unique: str) -> Table:
    """Return the table of a class: at most one open version per unique columns, and ids that are never used twice."""
    stored = [field for field in declared_fields(class_) if field.name not in _VALIDITY]
    return Table(
        name,
        METADATA,
        Column("id", IDENTITY, primary_key=True),
        Column("valid_from_ms", MILLISECONDS, nullable=False),
        Column("valid_to_ms", MILLISECONDS, nullable=True),
        *(_column(field) for field in stored if field.key is None or field.key.stored),
        Index(f"uq_{name}_open", *unique, unique=True, sqlite_where=_OPEN, postgresql_where=_OPEN),
        sqlite_autoincrement=True,
    )


def _column(field: Declared) -> Column[Any]:
    type_ = column_type(field)
    return Column(field.name, DOCUMENT if type_ is None else _TYPES[type_], nullable=field.nullable)


FACILITY_TABLES: dict[str, Table] = {
    kind: _versioned("shared_supply" if kind == "supply" else kind, class_, "key") for kind, class_ in OBJECTS.items()
}
"""Kind of object → its table."""
POWER_CONNECTION = _versioned("power_connection", PowerConnection, "node", "device", "point")


class FacilityChangeRow(TableRow, table=True):
    """A recorded change of the facility; the newest id is the version of the facility.

    `due_ms`: minute rollups from there on do not include it yet; null when they do.
    """

    __tablename__: ClassVar[str] = "facility_change"
    __table_args__: ClassVar[dict[str, Any]] = {"sqlite_autoincrement": True}
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    made_ms: int = Field(sa_type=MILLISECONDS)
    effective_ms: int = Field(sa_type=MILLISECONDS)
    kind: str
    key: str
    action: str
    due_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
