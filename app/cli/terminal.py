"""Where commands print."""

from __future__ import annotations

import os
import sys

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from app.server import SafeConsole

_PIPE_WIDTH = 240
"""Columns of output that no terminal shows: tables are neither wrapped nor cut there."""


def _open_closed_streams() -> None:
    """Open what a launcher closed (`>&-`) on /dev/null: else Python has no stream, and the next file that is opened,
    such as a connection, takes its number and gets what a command prints.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    sys.stdout = sys.stdout or os.fdopen(1, "w", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


_open_closed_streams()
console = SafeConsole(  # `file.toml:100:` is a place, not an emoji
    highlight=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH
)
errors = SafeConsole(stderr=True, highlight=False, emoji=False)


def progress_bar() -> Progress:
    """Return a progress bar on standard error."""
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    )
