"""`wattline collect`: run a collector."""

from __future__ import annotations

from pathlib import Path
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
    facility: Annotated[
        Path | None,
        typer.Option(
            envvar="WATTLINE_FACILITY", help="Facility file whose secrets may be sent to the devices that it names."
        ),
    ] = None,
    networks: Annotated[
        str,
        typer.Option(envvar="WATTLINE_DEVICE_NETWORKS", help="Networks and host names that may be polled, by commas."),
    ] = "",
    secrets: Annotated[
        str, typer.Option(envvar="WATTLINE_SECRETS", help="Secrets that may be sent to hosts, as JSON.")
    ] = "",
) -> None:
    """Poll the devices that the server assigns and deliver their readings."""
    from app.server import make_data_dir, only_collector, until_stopped
    from app.services.facility import load
    from collectors.polling import collect as run
    from collectors.polling import device_policy
    from collectors.tools import probe

    outbox = outbox_path(name)
    make_data_dir(outbox.parent)
    trusted = load(facility).secret_references if facility is not None else frozenset()
    policy = device_policy(networks, secrets, trusted)
    with only_collector(outbox):
        until_stopped(
            lambda stop: run(
                url, token or None, name, outbox, stop, traps,
                lease_s=lease, max_bytes=outbox_bytes, policy=policy, probe=probe,
            )
        )  # fmt: skip
