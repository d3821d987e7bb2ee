"""The options `--auth` and `--community`: credentials for a device."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

AuthOption = Annotated[
    str,
    typer.Option("--auth", metavar="FILE:KEY", help=r"Credentials in \[auth.KEY] of a facility file, e.g. SNMPv3."),
]

CommunityOption = Annotated[
    str, typer.Option("--community", help="SNMP community, or a reference to it: env:NAME or file:PATH.")
]


def snmp_sign_in(community: str, table: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the settings of a device and the community itself; a reference becomes part of the settings.

    Raises
    ------
    ConfigError
        The reference has no target, or the settings are invalid.
    """
    from collectors.protocols.snmp import sign_in

    if not table and community.startswith(("env:", "file:")):
        table = {"snmp": "2c", "community": community}
    if "snmp" in table:
        sign_in(table)
    return table, community


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
