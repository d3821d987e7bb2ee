"""`wattline collect`: run a collector."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import SERVER, Token, Url
from app.settings import Settings


def command(
    url: Url = SERVER,
    token: Token = "",
    name: Annotated[str, typer.Option(help="Name of this collector.")] = "collector-1",
    traps: Annotated[
        int | None,
        typer.Option(envvar="WATTLINE_TRAP_PORT", min=1, max=65535, help="UDP port for SNMP notifications (off)."),
    ] = None,
) -> None:
    """Poll the devices that the server assigns and deliver their readings."""
    from app.server import make_data_dir, until_stopped
    from collectors.polling import collect as run

    outbox = Settings().data_dir / f"outbox-{name}.sqlite"
    make_data_dir(outbox.parent)
    until_stopped(lambda stop: run(url, token or None, name, outbox, stop, traps))
