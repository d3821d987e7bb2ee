"""The command line: the one place that knows both halves, server and collectors. A module a subject."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer
from rich.markup import escape

from app.cli import database, devices, facility, imports, jobs, processes, slurm
from app.cli.sweep import command as sweep
from app.cli.terminal import errors
from app.client import reach_ourselves_directly
from app.errors import WattlineError
from collectors.errors import CollectorError

app = typer.Typer(
    name="wattline",
    help="Power telemetry of a data center: from the metered outlet to the kilowatt-hours of one run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for subject in (processes, devices, facility, jobs, sweep):
    app.add_typer(subject.commands)
app.add_typer(database.commands, name="db")
app.add_typer(imports.commands, name="import")
app.add_typer(slurm.commands, name="slurm")


def main() -> None:
    """Entry point: our errors as one line and a hint, never a traceback."""
    reach_ourselves_directly()
    try:
        app()
    except (WattlineError, CollectorError) as error:
        _tell(error)
    except Exception as error:
        from app.server import told

        found = told(error)
        if found is None:
            raise
        _tell(found)


def _tell(error: WattlineError | CollectorError) -> NoReturn:
    errors.print(f"[bold]error:[/] {escape(str(error))}", soft_wrap=True)
    if error.hint:
        errors.print(f"       {error.hint}", markup=False, soft_wrap=True)
    sys.exit(1)
