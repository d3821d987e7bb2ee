"""`wattline slurm hook`: print the script for Prolog and Epilog."""

from __future__ import annotations

from pathlib import Path

import typer


def command() -> None:
    """Print the script that slurmd runs as Prolog and Epilog."""
    typer.echo(Path(__file__).with_name("slurm_hook.sh").read_text("utf-8"), nl=False)
