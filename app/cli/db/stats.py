"""`wattline db stats`: size and contents of every table."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.table import Table

from app.cli.terminal import console
from app.settings import Settings


def command() -> None:
    """Print rows, size, bytes per sample and time range of every table. Reads the whole database."""
    from app.store.database import open_engine, require_current_schema
    from app.store.database import stats as count

    engine = open_engine(Settings().database_url)
    require_current_schema(engine)
    found = count(engine)
    shown = Table()
    shown.add_column("table", no_wrap=True, overflow="fold")
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
    console.print(f"{found.bytes:,} bytes in total")
    if found.sealed_bytes_per_sample is not None:
        console.print(f"{found.sealed_bytes_per_sample:.2f} bytes per sample in sealed windows, timestamps included")


def _moment(t_ms: int | None) -> str:
    return "" if t_ms is None else f"{datetime.fromtimestamp(t_ms / 1000, UTC):%Y-%m-%d %H:%M:%SZ}"
