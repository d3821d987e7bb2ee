"""The three papers, measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import console

commands = typer.Typer()


@commands.command()
def papers(
    out: Annotated[Path, typer.Option(help="Page to write; figures go into a folder beside it.")] = Path("papers.md"),
) -> None:
    """Measure the simulated machines of three papers and write published and obtained side by side (minutes)."""
    from tests.papers.campaign import write_papers

    write_papers(out, lambda text: console.print(text, markup=False, soft_wrap=True))
