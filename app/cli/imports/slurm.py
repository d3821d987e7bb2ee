"""`wattline import slurm`: import jobs from the output of sacct."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import Cluster, NodePrefix, ServerOrDatabase, Token
from app.cli.terminal import console, errors
from app.settings import Settings

_LOCAL_TIME = re.compile(r"\|\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\||$)", re.MULTILINE)
"""A cell of `sacct -P` without an offset."""


def command(
    file: Annotated[Path, typer.Argument(help="Output of sacct; - for standard input.")] = Path("-"),
    cluster: Cluster = "",
    tz: Annotated[
        str, typer.Option(help="Time zone of local times in `sacct -P`, e.g. Europe/Berlin (UTC).", show_default=False)
    ] = "",
    columns: Annotated[str, typer.Option(help="Value of --format if the text has no header.", show_default=False)] = "",
    node_prefix: NodePrefix = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes without applying them.")] = False,
    url: ServerOrDatabase = "",
    token: Token = "",
) -> None:
    """Import jobs from the output of `sacct --json` or `sacct -P`. A repeated import updates them."""
    from app.client import send
    from app.errors import NotFound
    from app.importers.tables import decode
    from app.server import open_client

    try:
        text = decode(sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes())
    except OSError as error:
        raise NotFound(f"{file}: {error.strerror}", "give a file, or - for standard input") from None

    if not tz and _LOCAL_TIME.search(text):
        errors.print("note: local times are read as UTC; set their time zone with --tz", soft_wrap=True)

    async def work() -> list[str]:
        async with open_client(Settings(), url, token) as client:
            query = {"cluster": cluster, "tz": tz or "UTC", "columns": columns, "node_prefix": node_prefix}
            report = await send(client, text, **query, dry_run="true" if dry_run else "")
        return report.lines()

    for line in asyncio.run(work()):
        console.print(line, markup=False, soft_wrap=True)
