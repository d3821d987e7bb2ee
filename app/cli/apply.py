"""`wattline apply`: check a facility file and apply it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import Effective
from app.cli.terminal import console, errors
from app.settings import Settings


def command(
    facility: Annotated[Path, typer.Argument(help="The facility file.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes without applying them.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove objects of this site that the file lacks.")] = False,
    effective: Effective = "",
) -> None:
    """Check a facility file and apply it."""
    from app.server import apply_facility, prepare
    from app.services.facility import effective_ms

    def warn(text: str) -> None:
        errors.print(f"note: {text}", markup=False, soft_wrap=True)

    since_ms = effective_ms(effective)
    prepare(Settings(), None)
    changes = apply_facility(Settings(), facility, dry_run=dry_run, prune=prune, effective_ms=since_ms, warn=warn)
    for change in changes:
        console.print(change.text, markup=False, soft_wrap=True)
    if not changes:
        console.print("nothing to change")
