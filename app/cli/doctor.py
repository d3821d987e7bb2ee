"""`wattline doctor`: check this installation."""

from __future__ import annotations

import typer

from app.cli.terminal import console
from app.settings import Settings


def command() -> None:
    """Check this installation and print what is wrong."""
    from app.server import findings

    bad = 0
    for finding in findings(Settings()):
        console.print(f"{'ok  ' if finding.ok else 'BAD '} {finding.text}", markup=False, soft_wrap=True)
        bad += not finding.ok
    raise typer.Exit(1 if bad else 0)
