"""How a command signs in at a device: one option, which points into a facility file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

AuthOption = Annotated[
    str, typer.Option("--auth", metavar="FILE:KEY", help="Sign in as [auth.KEY] of a facility file says, e.g. SNMPv3.")
]


def auth_table(reference: str) -> dict[str, Any]:
    """The settings of `[auth.KEY]` in `FILE:KEY`; empty where nothing is referred to.

    Raises
    ------
    Invalid, NotFound
        It is no reference, the file cannot be read or has mistakes, or there is no such table in it.
    """
    if not reference:
        return {}
    from app.errors import Invalid, NotFound
    from app.services.facility import load
    from app.store.facility import Auth

    file, _, key = reference.rpartition(":")
    if not file or not key:
        raise Invalid(f"--auth {reference} names no table", "write it like facility.toml:KEY", code="bad_auth")
    plan = load(Path(file))
    if plan.mistakes:
        told = "\n".join(sorted(mistake.text for mistake in plan.mistakes))
        raise Invalid(f"{file} has mistakes\n{told}", "correct the file", code="bad_facility")
    auths = {thing.key: thing.settings for thing in plan.objects if isinstance(thing, Auth)}
    if key not in auths:
        raise NotFound(f"{file} has no [auth.{key}]", f"it has: {', '.join(auths) or 'none'}", code="no_such_auth")
    return dict(auths[key])
