"""`wattline db backup`: write a consistent copy of the database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import console
from app.settings import Settings


def command(to: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")]) -> None:
    """Back up the database while servers run: a SQLite file, or with PostgreSQL a dump of pg_dump. It is verified."""
    from app.store.database import backup, open_engine

    engine = open_engine(Settings().database_url)
    try:
        made = backup(engine, to)
    finally:
        engine.dispose()
    console.print(
        f"{made.path}: {made.size_bytes:,} bytes, {made.rows:,} rows in {made.tables} tables, verified",
        markup=False,
        soft_wrap=True,
    )
