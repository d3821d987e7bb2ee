"""The option `--auth`: credentials for a device, from a facility file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

AuthOption = Annotated[
    str,
    typer.Option("--auth", metavar="FILE:KEY", help=r"Credentials in \[auth.KEY] of a facility file, e.g. SNMPv3."),
]


def auth_table(reference: str) -> dict[str, Any]:
    """Return the settings of `[auth.KEY]` in `FILE:KEY`; empty without a reference.

    Raises
    ------
    Invalid, NotFound
        The reference is malformed, the file cannot be read or has errors, or it has no such table.
    """
    if not reference:
        return {}
    from app.errors import Invalid, NotFound
    from app.services.facility import load
    from app.store.facility import Auth

    file, _, key = reference.rpartition(":")
    if not file or not key:
        raise Invalid(f"--auth {reference} is not FILE:KEY", "write it like facility.toml:KEY", code="bad_auth")
    plan = load(Path(file))
    if plan.mistakes:
        listed = "\n".join(sorted(mistake.text for mistake in plan.mistakes))
        raise Invalid(f"{file} has errors\n{listed}", "correct the file", code="bad_facility")
    auths = {thing.key: thing.settings for thing in plan.objects if isinstance(thing, Auth)}
    if key not in auths:
        raise NotFound(f"{file} has no [auth.{key}]", f"it has: {', '.join(auths) or 'none'}", code="no_such_auth")
    return dict(auths[key])
