"""`wattline db restore`: restore a backup."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import console
from app.settings import Settings


def command(
    source: Annotated[Path, typer.Argument(help="The file that `wattline db backup` wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Move the present SQLite database aside instead of refusing.")
    ] = False,
) -> None:
    """Restore a backup, with every server stopped: into a new SQLite database or an empty one of PostgreSQL."""
    from app.server import only_server
    from app.store.database import open_engine, restore

    settings = Settings()
    with only_server(settings.data_dir):
        engine = open_engine(settings.database_url)
        try:
            done = restore(engine, source, replace=replace, suffix=f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        finally:
            engine.dispose()
    console.print(f"restored {done.rows:,} rows in {done.tables} tables from {source}", markup=False, soft_wrap=True)
    if done.replaced is not None:
        console.print(f"the former database is {done.replaced}", markup=False, soft_wrap=True)
