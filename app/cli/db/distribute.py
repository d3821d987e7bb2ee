"""`wattline db distribute`: spread the tables over a Citus cluster."""

from __future__ import annotations

from app.cli.terminal import console
from app.settings import Settings


def command() -> None:
    """Distribute the tables over a Citus cluster. Repeat it to continue after an interruption."""
    from app.store.database import distribute as spread
    from app.store.database import migrate, open_engine

    engine = open_engine(Settings().database_url)
    migrate(engine)
    moved = spread(engine)
    for placement in moved:
        console.print(f"{placement.table}: {placement.place}{f' by {placement.by}' if placement.by else ''}")
    console.print("every table is already distributed" if not moved else f"{len(moved)} tables moved")
