"""PostgreSQL on several machines: where the Citus extension stores each table.

Readings are distributed by stream, so that all work for one device is done on one machine; rollups by subject.
Everything else is small and is copied to every machine (`reference`) or kept on the coordinator (`local`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

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
"""Big tables and the column that decides on which machine a row is stored."""
LOCAL = frozenset(
    {
        "task_lock",
        "lease",
        "collector",
        "retention_watermark",
        "poll_failure",
        "event",
        "node_day",
        "site_day",
        "rollup_day_revision",
        "rollup_day_sum",
        "job_change",
        "alert",
        "alert_notification",
        "alert_receiver",
    }
)
"""Written often and never joined with readings, so copies on every machine would have a cost but no use."""


class NoCitus(WattlineError):
    """The database cannot be distributed."""

    code = "no_citus"


_SPREAD: WeakKeyDictionary[Engine, bool] = WeakKeyDictionary()


@dataclass(frozen=True)
class Placement:
    """Where a table is stored; `by` is the distribution column."""

    table: str
    place: Place
    by: str = ""

    @property
    def statement(self) -> str | None:
        """The statement that moves a plain table there."""
        if self.place == "reference":
            return f"SELECT create_reference_table('{self.table}')"
        if self.place == "distributed":
            first = "rollup_day_series" if self.by == "subject" else "frame"
            together = "none" if self.table == first else first
            return f"SELECT create_distributed_table('{self.table}', '{self.by}', colocate_with => '{together}')"
        return None


def placements() -> list[Placement]:
    """Return the placement of every table, each table after those that it is colocated with or refers to."""
    spread = [Placement(name, "distributed", by) for name, by in SPREAD.items()]
    rest = [
        Placement(name, "local" if name in LOCAL else "reference")
        for name in (row.name for row in METADATA.sorted_tables)
        if name not in SPREAD
    ]
    return spread + rest


def has_citus(connection: Connection) -> bool:
    """Return whether the database has the extension."""
    return (
        connection.dialect.name == "postgresql"
        and connection.scalar(text("SELECT to_regproc('create_distributed_table')")) is not None
    )


def is_spread(connection: Connection) -> bool:
    """Do the same as `has_citus`, looked up once per engine."""
    if connection.engine not in _SPREAD:
        _SPREAD[connection.engine] = has_citus(connection)
    return _SPREAD[connection.engine]


def distribute(engine: Engine) -> list[Placement]:
    """Distribute the tables that are not distributed yet, rows included, one transaction each; return them.

    No rows of big tables stay on the coordinator. After an interruption, running it again does the rest.

    Raises
    ------
    NoCitus
        The database is SQLite, or PostgreSQL without the extension.
    """
    if engine.dialect.name != "postgresql":
        raise NoCitus("SQLite is a single file on one machine", "set WATTLINE_DATABASE_URL to a PostgreSQL with Citus")
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
    for name in SPREAD:  # the rows were copied to the shards; what is left behind them takes disk and is never read
        with writing(engine) as connection:
            connection.execute(text(f"SELECT truncate_local_data_after_distributing_table('{name}')"))
    return moved
