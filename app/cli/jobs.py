"""Jobs: logs of runs brought in (`wattline import`), and runs registered around a command."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import SERVER, Token, Url, Within, console, progress_bar
from app.settings import Settings

commands = typer.Typer()


def import_logs(
    files: Annotated[list[Path], typer.Argument(help="Logs, or folders of MLPerf runs.")],
    device: Annotated[str | None, typer.Option(help="The meter the log belongs to.")] = None,
    node: Annotated[str | None, typer.Option(help="The node it powers.")] = None,
    job: Annotated[bool, typer.Option("--job", help="Register the log's window as a job.")] = False,
    tz: Annotated[str, typer.Option(help="Zone of local times, e.g. Europe/Berlin.")] = "UTC",
    fmt: Annotated[str, typer.Option("--format", help="auto, spl, mlperf, csv, yokogawa or nvidia-smi.")] = "auto",
    url: Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Server; none: this installation's database.")] = "",
    token: Token = "",
) -> None:
    """Bring meter logs into the table; importing again changes nothing."""
    from app.presentation.imports import report_lines
    from app.server import open_client
    from app.services.imports import run_import

    async def work() -> bool:
        async with open_client(Settings(), url, token) as client:
            with progress_bar() as bar:
                task = bar.add_task("importing", total=None)
                report = await run_import(
                    client,
                    files,
                    device=device,
                    node=node,
                    tz=tz,
                    as_job=job,
                    format=fmt,
                    progress=lambda done, total: bar.update(task, completed=done, total=total),
                )
        for line in report_lines(report):
            console.print(line, markup=False, soft_wrap=True)
        return report.failed

    raise typer.Exit(1 if asyncio.run(work()) else 0)


@commands.command(name="run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run_job(
    command: Annotated[list[str], typer.Argument(help="-- CMD…")],
    name: Annotated[str | None, typer.Option(help="Name of the job.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="k=v, repeatable.")] = None,
    per: Annotated[list[str] | None, typer.Option(help="Work it does: samples=1.2e6, repeatable.")] = None,
    node: Annotated[str | None, typer.Option(help="The node it runs on (default: this host's name).")] = None,
    gpus: Annotated[str | None, typer.Option(help="GPUs it holds: 0,1 or UUIDs; none: ''.")] = None,
    cores: Annotated[int | None, typer.Option(help="Cores it holds.", min=0)] = None,
    within: Within = "",
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Register a job around a command and print its energy at the end.

    On a node that runs other jobs too, say what it holds: it is charged those GPUs and cores. Inside a job that Slurm
    told of, it shows that job's share.
    """
    from app.cli.run import RunAs, run_command

    held = None if gpus is None else [gpu for gpu in gpus.split(",") if gpu]
    run = RunAs(name, tag or [], per or [], node, held, cores, within)
    raise typer.Exit(run_command(url, token, command, run, console.print))
