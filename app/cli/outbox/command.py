"""`wattline outbox …`: readings of a collector that were not delivered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from app.cli.terminal import console
from app.errors import NotFound
from app.settings import Settings

if TYPE_CHECKING:
    from collectors.delivery import Outbox

commands = typer.Typer(help="Inspect and settle what a collector could not deliver.", no_args_is_help=True)
Name = Annotated[str, typer.Option(help="Name of the collector.")]
Code = Annotated[str, typer.Option(help="Only with this reason code, e.g. clock_ahead.", show_default=False)]
OfDevice = Annotated[str, typer.Option("--device", help="Only of this device.", show_default=False)]
_NAME = "collector-1"


def outbox_path(name: str) -> Path:
    """Return the outbox file of a collector."""
    return Settings().data_dir / f"outbox-{name}.sqlite"


def _open(name: str) -> Outbox:
    from collectors.delivery import Outbox

    path = outbox_path(name)
    if not path.is_file():
        raise NotFound(f"there is no outbox {path}", "give --name, and WATTLINE_DATA_DIR of the collector")
    return Outbox(path)


@commands.command("list")
def list_(name: Name = _NAME) -> None:
    """List what waits for the server, was rejected by it, or is held because the collector's clock was ahead."""
    from app.domain.timeseries import rfc3339

    outbox = _open(name)
    try:
        waiting, groups = outbox.waiting, outbox.dead.groups()
    finally:
        outbox.close()
    console.print(f"{waiting:,} frames wait for the server", soft_wrap=True)
    if not groups:
        console.print("no dead letters, nothing is held")
        return
    shown = Table()
    for column in ("code", "device", "kind", "count", "first", "last", "clock ahead", "detail"):
        shown.add_column(column, justify="right" if column in ("count", "clock ahead") else "left", overflow="fold")
    for one in groups:
        ahead = "" if one.offset_ms is None else f"{one.offset_ms / 1000:.1f} s"
        first, last = rfc3339(one.first_ms) or "", rfc3339(one.last_ms) or ""
        shown.add_row(one.code, one.device, one.kind, f"{one.count:,}", first, last, ahead, one.detail)
    console.print(shown)


@commands.command("replay")
def replay(
    name: Name = _NAME,
    code: Code = "",
    device: OfDevice = "",
    shift: Annotated[
        bool, typer.Option("--shift", help="Move held readings back by the measured offset of the collector's clock.")
    ] = False,
) -> None:
    """Deliver dead letters and held readings again. The collector may run."""
    outbox = _open(name)
    try:
        count = outbox.dead.replay(code, device, shift=shift)
    finally:
        outbox.close()
    console.print(f"{count:,} put back into the outbox; the collector delivers them")


@commands.command("drop")
def drop(
    name: Name = _NAME,
    code: Code = "",
    device: OfDevice = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete dead letters and held readings for good. The collector may run."""
    if not yes:
        typer.confirm("Delete them for good?", abort=True)
    outbox = _open(name)
    try:
        count = outbox.dead.drop(code, device)
    finally:
        outbox.close()
    console.print(f"{count:,} deleted")
