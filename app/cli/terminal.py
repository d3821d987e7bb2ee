"""Where commands print."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

console = Console(highlight=False, emoji=False)  # `file.toml:100:` is a place, not an emoji
errors = Console(stderr=True, highlight=False, emoji=False)


def progress_bar() -> Progress:
    """Return a progress bar on standard error."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    )
