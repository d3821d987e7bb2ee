"""`wattline db upgrade`: create or upgrade the tables."""

from __future__ import annotations

from app.cli.terminal import console
from app.settings import Settings


def command() -> None:
    """Create the tables, or upgrade them to this version."""
    from app.store.database import migrate, open_engine

    migrate(open_engine(Settings().database_url))
    console.print("the database has the schema of this version")
