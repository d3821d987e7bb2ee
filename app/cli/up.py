"""`wattline up`: run everything on one machine."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import FacilityFile, Host, Port


def command(
    demo: Annotated[bool, typer.Option("--demo", help="Also run a simulated facility.")] = False,
    facility: FacilityFile = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """Run the server and a collector together, by default on an embedded database."""
    from app.server import given_settings, run_together

    run_together(given_settings(host, port, demo=demo), facility, demo=demo)
