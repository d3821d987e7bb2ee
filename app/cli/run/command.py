"""`wattline run -- CMD`: the options."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import SERVER, Token, Url, Within
from app.cli.terminal import console


def command(
    arguments: Annotated[list[str], typer.Argument(metavar="CMD", help="The command with its arguments, after --.")],
    name: Annotated[str | None, typer.Option(help="Name of the job.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Tag as k=v, repeatable.")] = None,
    per: Annotated[list[str] | None, typer.Option(help="Units of work it does: samples=1.2e6, repeatable.")] = None,
    node: Annotated[str | None, typer.Option(help="Node it runs on (default: name of this host).")] = None,
    gpus: Annotated[str | None, typer.Option(help="GPUs it uses: 0,1 or UUIDs; '' for none.")] = None,
    cores: Annotated[int | None, typer.Option(help="CPU cores it uses.", min=0)] = None,
    within: Within = "",
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Run a command as a job and print its energy at the end.

    On a node that also runs other jobs, give its GPUs and cores: its share is computed from them. Inside a Slurm job
    it shows the share of that job.
    """
    from app.cli.run.job_run import RunAs, run_command

    held = None if gpus is None else [gpu for gpu in gpus.split(",") if gpu]
    run = RunAs(name, tag or [], per or [], node, held, cores, within)
    raise typer.Exit(run_command(url, token, arguments, run, console.print))
