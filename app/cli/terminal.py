"""Where commands print."""

from __future__ import annotations

import sys

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from app.server import SafeConsole

_PIPE_WIDTH = 240
"""Columns of output that no terminal shows: tables are neither wrapped nor cut there."""

console = SafeConsole(  # `file.toml:100:` is a place, not an emoji
    highlight=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH
)
errors = SafeConsole(stderr=True, highlight=False, emoji=False)


def progress_bar() -> Progress:
    """Return a progress bar on standard error."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    )
