"""`wattline serve`: run the server."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import FacilityFile, Host, Port


def command(
    facility: FacilityFile = None,
    host: Host = None,
    port: Port = None,
    local: Annotated[
        bool,
        typer.Option("--local", help="The user that runs the server needs no token (WATTLINE_LOCAL_MODE)."),
    ] = False,
) -> None:
    """Run the server (API and dashboard) without a collector."""
    from app.server import given_settings, run_server

    run_server(given_settings(host, port, local=local), facility)
