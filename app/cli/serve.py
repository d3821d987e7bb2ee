"""`wattline serve`: run the server."""

from __future__ import annotations

from app.cli.options import FacilityFile, Host, Port


def command(facility: FacilityFile = None, host: Host = None, port: Port = None) -> None:
    """Run the server (API and dashboard) without a collector."""
    from app.server import given_settings, run_server

    run_server(given_settings(host, port), facility)
