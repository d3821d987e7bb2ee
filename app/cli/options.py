"""Options that mean the same in several commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SERVER = "http://127.0.0.1:8000"
PASS_THROUGH = {"ignore_unknown_options": True, "allow_interspersed_args": False}
"""Settings of commands that run another command: everything after its name belongs to it."""

Url = Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Address of the server.")]
ServerOrDatabase = Annotated[
    str, typer.Option(envvar="WATTLINE_URL", help="Address of the server; without it the local database is used.")
]
Token = Annotated[str, typer.Option(envvar="WATTLINE_TOKEN", help="Token of the server.", show_default=False)]
SpoolFolder = Annotated[
    Path | None,
    typer.Option(
        "--spool",
        envvar="WATTLINE_SPOOL_DIR",
        help="Folder of runs that are not registered yet (~/.local/state/wattline/runs).",
        show_default=False,
    ),
]
Within = Annotated[
    str,
    typer.Option(
        envvar="SLURM_JOB_ID", help="Scheduler job that this run is part of; '' for none.", show_default=False
    ),
]
Cluster = Annotated[str, typer.Option(help="Cluster of the jobs (default: as Slurm reports).", show_default=False)]
NodePrefix = Annotated[
    str, typer.Option(help="Prefix added to Slurm's node names to get Wattline's.", show_default=False)
]
FacilityFile = Annotated[Path | None, typer.Option(help="Facility file to apply before starting.")]
Effective = Annotated[
    str, typer.Option(help="Time from which the changes are effective, e.g. 2026-03-01T08:00:00Z (now).")
]
Host = Annotated[str | None, typer.Option(help="Address to listen on (WATTLINE_HOST, 127.0.0.1).")]
Port = Annotated[int | None, typer.Option(help="Port to listen on (WATTLINE_PORT, 8000).")]
