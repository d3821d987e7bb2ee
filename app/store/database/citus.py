"""PostgreSQL on several machines: which table lies where once the Citus extension spreads them.

Readings are spread by stream, so that one device is one machine's work; minutes by subject. Everything else is small
and stands whole on every machine (`reference`), or is written by the coordinator alone (`local`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, Engine, text

from app.errors import WattlineError
from app.models import METADATA
from app.store.database.engine import reading, writing

Place = Literal["distributed", "reference", "local"]
SPREAD: dict[str, str] = {
    "frame": "stream_id",
    "chunk": "stream_id",
    "chunk_column": "stream_id",
    "latest_frame": "stream_id",
    "rollup_backlog": "stream_id",
    "rollup_day_series": "subject",
    "rollup_day_summary": "subject",
}
"""Big tables and the column that says on which machine a row lies."""
LOCAL = frozenset({"task_lock", "lease", "retention_watermark", "poll_failure", "event", "node_day", "alert"})
"""Written often and never joined with readings: a copy on every machine would only cost."""


class NoCitus(WattlineError):
    """The database is not one that can be spread."""

    code = "no_citus"


@dataclass(frozen=True)
class Placement:
    """Where a table is to lie; `by` is the distribution column."""

    table: str
    place: Place
    by: str = ""

    @property
    def statement(self) -> str | None:
        """What puts it there, from a plain table."""
        if self.place == "reference":
            return f"SELECT create_reference_table('{self.table}')"
        if self.place == "distributed":
            first = "rollup_day_series" if self.by == "subject" else "frame"
            together = "none" if self.table == first else first
            return f"SELECT create_distributed_table('{self.table}', '{self.by}', colocate_with => '{together}')"
        return None


def placements() -> list[Placement]:
    """Every table; `frame` and `rollup_day_series` before those that lie beside them."""
    spread = [Placement(name, "distributed", by) for name, by in SPREAD.items()]
    rest = [
        Placement(name, "local" if name in LOCAL else "reference")
        for name in (row.name for row in METADATA.sorted_tables)
        if name not in SPREAD
    ]
    return spread + rest


def has_citus(connection: Connection) -> bool:
    """Whether the database has the extension."""
    return (
        connection.dialect.name == "postgresql"
        and connection.scalar(text("SELECT to_regproc('create_distributed_table')")) is not None
    )


def distribute(engine: Engine) -> list[Placement]:
    """Spread what is not spread yet, each table in a transaction of its own; returns what was moved, rows included.

    Doing it again, also after it was interrupted, does what is left.

    Raises
    ------
    NoCitus
        The database is SQLite, or PostgreSQL without the extension.
    """
    if engine.dialect.name != "postgresql":
        raise NoCitus("SQLite is one file on one machine", "set WATTLINE_DATABASE_URL to a PostgreSQL with Citus")
    with reading(engine) as connection:
        if not has_citus(connection):
            raise NoCitus(
                "the Citus extension is not in this database",
                "install Citus on every machine and run CREATE EXTENSION citus; without it PostgreSQL serves one site",
            )
        names = connection.scalars(text("SELECT logicalrelid::text FROM pg_dist_partition"))
        standing = {str(name) for name in names}
    moved = [placement for placement in placements() if placement.table not in standing and placement.statement]
    for placement in moved:
        with writing(engine) as connection:
            connection.execute(text(str(placement.statement)))
    return moved
