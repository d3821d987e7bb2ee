"""`wattline collect`: run a collector."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import SERVER, Token, Url
from app.cli.outbox import outbox_path


def command(
    url: Url = SERVER,
    token: Token = "",
    name: Annotated[str, typer.Option(help="Name of this collector.")] = "collector-1",
    traps: Annotated[
        int | None,
        typer.Option(envvar="WATTLINE_TRAP_PORT", min=1, max=65535, help="UDP port for SNMP notifications (off)."),
    ] = None,
    lease: Annotated[
        float, typer.Option(envvar="WATTLINE_LEASE_S", min=5, max=3600, help="Seconds after which others take over.")
    ] = 10.0,
    outbox_bytes: Annotated[
        int, typer.Option(envvar="WATTLINE_OUTBOX_BYTES", min=2**20, help="Largest size of the outbox in bytes.")
    ] = 2 * 2**30,
) -> None:
    """Poll the devices that the server assigns and deliver their readings."""
    from app.server import make_data_dir, until_stopped
    from collectors.polling import collect as run

    outbox = outbox_path(name)
    make_data_dir(outbox.parent)
    until_stopped(
        lambda stop: run(url, token or None, name, outbox, stop, traps, lease_s=lease, max_bytes=outbox_bytes)
    )
