"""`wattline slurm watch`: import jobs of Slurm continuously."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import SERVER, Cluster, NodePrefix, Token, Url
from app.cli.terminal import console
from app.settings import Settings


def command(
    cluster: Cluster = "",
    every: Annotated[float, typer.Option(min=1, help="Seconds between rounds.")] = 60,
    since_days: Annotated[float, typer.Option(min=0, help="Days that the first round covers.")] = 1,
    state: Annotated[Path | None, typer.Option(help="File to store the progress in.")] = None,
    node_prefix: NodePrefix = "",
    as_json: Annotated[bool, typer.Option("--json", help="Use `sacct --json` instead of `sacct -P`.")] = False,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Import running and finished jobs every minute; continues where it stopped."""
    from app.client import Watch
    from app.server import make_data_dir, open_client, until_stopped

    file = state or Settings().data_dir / f"slurm-{cluster or 'cluster'}.json"
    make_data_dir(file.parent)

    async def work(stop: asyncio.Event) -> None:
        async with open_client(Settings(), url, token) as client:
            query = {"cluster": cluster, "node_prefix": node_prefix}
            await Watch(client, query, every, file, since_days * 86_400, as_json, _print).run(stop)

    until_stopped(work)


def _print(text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)
