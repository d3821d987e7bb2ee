"""`wattline db …`: the database's schema, what it holds, and where it lies."""

from __future__ import annotations

from datetime import UTC, datetime

import typer
from rich.table import Table

from app.cli.terminal import console
from app.settings import Settings

commands = typer.Typer(help="The database.", no_args_is_help=True)


@commands.command()
def upgrade() -> None:
    """Bring the database to this version's schema."""
    from app.store.database import migrate, open_engine

    migrate(open_engine(Settings().database_url))
    console.print("database is at this version's schema")


@commands.command()
def stats() -> None:
    """Rows, bytes, bytes a sample, oldest and newest of every table. Reads all of it."""
    from app.store.database import open_engine
    from app.store.database import stats as count

    found = count(open_engine(Settings().database_url))
    shown = Table("table")
    for column in ("rows", "bytes", "samples", "bytes/sample", "oldest", "newest"):
        shown.add_column(column, justify="right")
    for one in found.tables:
        shown.add_row(
            one.name,
            f"{one.rows:,}",
            f"{one.bytes:,}",
            f"{one.samples:,}" if one.samples else "",
            "" if one.bytes_per_sample is None else f"{one.bytes_per_sample:.2f}",
            _moment(one.oldest_ms),
            _moment(one.newest_ms),
        )
    console.print(shown)
    console.print(f"{found.bytes:,} bytes together")
    if found.sealed_bytes_per_sample is not None:
        console.print(f"a sealed sample costs {found.sealed_bytes_per_sample:.2f} bytes, its time stamp included")


@commands.command()
def distribute() -> None:
    """Spread the tables over the machines of a Citus cluster; again does what is left."""
    from app.store.database import distribute as spread
    from app.store.database import migrate, open_engine

    engine = open_engine(Settings().database_url)
    migrate(engine)
    moved = spread(engine)
    for placement in moved:
        console.print(f"{placement.table}: {placement.place}{f' by {placement.by}' if placement.by else ''}")
    console.print("every table lies where it should" if not moved else f"{len(moved)} tables moved")


def _moment(t_ms: int | None) -> str:
    return "" if t_ms is None else f"{datetime.fromtimestamp(t_ms / 1000, UTC):%Y-%m-%d %H:%M:%SZ}"
