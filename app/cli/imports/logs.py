"""`wattline import FILE`: import meter logs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import ServerOrDatabase, Token
from app.cli.terminal import console, progress_bar
from app.settings import Settings


def command(
    files: Annotated[list[Path], typer.Argument(help="Log files, or folders of MLPerf runs.")],
    device: Annotated[str | None, typer.Option(help="Meter that wrote the log.")] = None,
    node: Annotated[str | None, typer.Option(help="Node that the meter measures.")] = None,
    job: Annotated[bool, typer.Option("--job", help="Register the time range of the log as a job.")] = False,
    tz: Annotated[str, typer.Option(help="Time zone of local times, e.g. Europe/Berlin.")] = "UTC",
    fmt: Annotated[str, typer.Option("--format", help="auto, spl, mlperf, csv, yokogawa or nvidia-smi.")] = "auto",
    url: ServerOrDatabase = "",
    token: Token = "",
) -> None:
    """Import meter logs. A repeated import changes nothing."""
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
