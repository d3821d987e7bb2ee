"""The command line: one module a command, or a package with `command.py`. Here they are assembled."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer
from rich.markup import escape

from app.cli import apply, collect, discover, doctor, factor, nvml_exporter, probe, record, serve, simulate, spool, up
from app.cli.access import commands as user_commands
from app.cli.access import jobs, login, stored_login
from app.cli.db import commands as db_commands
from app.cli.imports import commands as import_commands
from app.cli.options import PASS_THROUGH
from app.cli.outbox import commands as outbox_commands
from app.cli.run import command as run_command
from app.cli.slurm import commands as slurm_commands
from app.cli.sweep import command as sweep_command
from app.cli.terminal import errors
from app.client import bypass_proxy_for_localhost
from app.errors import WattlineError
from collectors.errors import CollectorError

app = typer.Typer(
    name="wattline",
    help="Power telemetry of a data center: from the metered outlet to the kilowatt-hours of one run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"wattline {version('wattline')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of `wattline` itself."""


app.command("up")(up.command)
app.command("serve")(serve.command)
app.command("collect")(collect.command)
app.command("simulate", hidden=True)(simulate.command)
app.command("nvml-exporter")(nvml_exporter.command)
app.command("doctor")(doctor.command)
app.command("probe")(probe.command.command)
app.command("discover")(discover.command)
app.command("record")(record.command)
app.command("apply")(apply.command)
app.command("factor")(factor.command)
app.command("run", context_settings=PASS_THROUGH)(run_command.command)
app.command("spool")(spool.command)
app.command("sweep", context_settings=PASS_THROUGH)(sweep_command.command)
app.command("login")(login.login)
app.command("logout")(login.logout)
app.command("jobs")(jobs.command)
app.add_typer(db_commands, name="db")
app.add_typer(import_commands, name="import")
app.add_typer(outbox_commands, name="outbox")
app.add_typer(slurm_commands, name="slurm")
app.add_typer(user_commands, name="users")


def main() -> None:
    """Run the command line; print known errors as one line and a hint instead of a traceback."""
    from app.server import protect_logs

    bypass_proxy_for_localhost()
    protect_logs()
    try:
        stored_login.use_stored_login(sys.argv[1:], os.environ)
        app()
    except (WattlineError, CollectorError) as error:
        _exit(error)
    except Exception as error:
        from app.server import translate

        found = translate(error)
        if found is None:
            raise
        _exit(found)


def _exit(error: WattlineError | CollectorError) -> NoReturn:
    errors.print(f"[bold]error:[/] {escape(str(error))}", soft_wrap=True)
    if error.hint:
        errors.print(f"       {error.hint}", markup=False, soft_wrap=True)
    sys.exit(1)
