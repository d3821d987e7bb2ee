"""Slurm: jobs brought in from a file, all the time, and by the nodes themselves."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import SERVER, Token, Url, console, errors
from app.server import until_stopped
from app.settings import Settings

commands = typer.Typer(help="Jobs of Slurm: brought in all the time, or told by the nodes.", no_args_is_help=True)

Cluster = Annotated[str, typer.Option(help="Whose jobs they are (default: what Slurm says).", show_default=False)]
NodePrefix = Annotated[str, typer.Option(help="Stands before Slurm's node names in ours.", show_default=False)]

_LOCAL_TIME = re.compile(r"\|\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\||$)", re.MULTILINE)
"""A cell of `sacct -P` that tells no offset."""


def import_slurm(
    file: Annotated[Path, typer.Argument(help="What sacct printed; - is standard input.")] = Path("-"),
    cluster: Cluster = "",
    tz: Annotated[
        str, typer.Option(help="Zone of local times in `sacct -P`, e.g. Europe/Berlin (UTC).", show_default=False)
    ] = "",
    columns: Annotated[str, typer.Option(help="The --format of a text without a heading.", show_default=False)] = "",
    node_prefix: NodePrefix = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would happen, change nothing.")] = False,
    url: Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Server; none: this installation's database.")] = "",
    token: Token = "",
) -> None:
    """Bring in the jobs of `sacct --json` or `sacct -P`; bringing them in again restates them."""
    from app.client import send
    from app.errors import NotFound
    from app.importers.tables import decode
    from app.server import open_client

    try:
        text = decode(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())
    except OSError as error:
        raise NotFound(f"{file}: {error.strerror}", "name a file, or - for standard input") from None

    if not tz and _LOCAL_TIME.search(text):
        errors.print("note: local times in it are taken as UTC; --tz names their zone", soft_wrap=True)

    async def work() -> list[str]:
        async with open_client(Settings(), url, token) as client:
            query = {"cluster": cluster, "tz": tz or "UTC", "columns": columns, "node_prefix": node_prefix}
            told = await send(client, text, **query, dry_run="true" if dry_run else "")
        return told.lines()

    for line in asyncio.run(work()):
        console.print(line, markup=False, soft_wrap=True)


@commands.command()
def watch(
    cluster: Cluster = "",
    every: Annotated[float, typer.Option(min=1, help="Seconds between rounds.")] = 60,
    since_days: Annotated[float, typer.Option(min=0, help="Days that the very first round looks back.")] = 1,
    state: Annotated[Path | None, typer.Option(help="File that remembers how far it came.")] = None,
    node_prefix: NodePrefix = "",
    as_json: Annotated[bool, typer.Option("--json", help="Ask `sacct --json` instead of `sacct -P`.")] = False,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Bring in what runs and what accounting tells, every minute; resumes where it was."""
    from app.client import Watch
    from app.server import make_data_dir, open_client

    file = state or Settings().data_dir / f"slurm-{cluster or 'cluster'}.json"
    make_data_dir(file.parent)

    async def work(stop: asyncio.Event) -> None:
        async with open_client(Settings(), url, token) as client:
            query = {"cluster": cluster, "node_prefix": node_prefix}
            await Watch(client, query, every, file, since_days * 86_400, as_json, _say).run(stop)

    until_stopped(work)


@commands.command()
def hook() -> None:
    """Print the script that slurmd runs as Prolog and Epilog."""
    typer.echo(Path(__file__).with_name("slurm_hook.sh").read_text("utf-8"), nl=False)


def _say(text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)
