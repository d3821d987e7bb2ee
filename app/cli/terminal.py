"""What every command shares: where it prints, and the options that mean the same everywhere."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

console = Console(highlight=False, emoji=False)  # `file.toml:100:` is a place, not a picture
errors = Console(stderr=True, highlight=False, emoji=False)

Url = Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Server to talk to.")]
Token = Annotated[str, typer.Option(envvar="WATTLINE_TOKEN", help="Its bearer token.", show_default=False)]
Within = Annotated[
    str, typer.Option(envvar="SLURM_JOB_ID", help="The scheduler's job it runs in; none: ''.", show_default=False)
]
SERVER = "http://127.0.0.1:8000"


def progress_bar() -> Progress:
    """A bar on standard error."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    )
