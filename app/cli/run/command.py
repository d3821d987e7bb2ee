"""`wattline run -- CMD`: the options."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from app.cli.options import SERVER, SpoolFolder, Token, Url, Within


class ResultForm(StrEnum):
    """How the result is printed."""

    TEXT = "text"
    JSON = "json"


def command(
    arguments: Annotated[list[str], typer.Argument(metavar="CMD", help="The command with its arguments, after --.")],
    name: Annotated[str | None, typer.Option(help="Name of the job.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Tag as k=v, repeatable.")] = None,
    per: Annotated[list[str] | None, typer.Option(help="Units of work it does: samples=1.2e6, repeatable.")] = None,
    node: Annotated[str | None, typer.Option(help="Node it runs on (default: name of this host).")] = None,
    gpus: Annotated[str | None, typer.Option(help="GPUs it uses: 0,1 or UUIDs; '' for none.")] = None,
    cores: Annotated[int | None, typer.Option(help="CPU cores it uses.", min=0)] = None,
    require: Annotated[
        bool, typer.Option("--require", help="Do not run the command unless its job is registered.")
    ] = False,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the last readings.", min=0, max=600)] = 20.0,
    output: Annotated[ResultForm, typer.Option(help="Form of the result on standard error.")] = ResultForm.TEXT,
    within: Within = "",
    spool: SpoolFolder = None,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Run a command as a job and print its energy to standard error at the end.

    The command runs even if the server does not respond or rejects the job; the run is registered later, by the next
    `wattline run` or by `wattline spool`. On a node that also runs other jobs, give its GPUs and cores: its share is
    computed from them. Inside a Slurm job it shows the share of that job.
    """
    from app.cli.run.job_run import JobRun, RunAs, print_to_stderr
    from app.cli.run.spool import Spool, default_folder

    held = None if gpus is None else [gpu for gpu in gpus.split(",") if gpu]
    job_run = JobRun(
        url, token, Spool(spool or default_folder()), lambda line: print_to_stderr(f"wattline: {line}"), require, wait
    )
    result = job_run.run(arguments, RunAs(name, tag or [], per or [], node, held, cores, within))
    for line in [result.json()] if output is ResultForm.JSON else [f"wattline: {line}" for line in result.text()]:
        print_to_stderr(line)
    raise typer.Exit(result.status)
