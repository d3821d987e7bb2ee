"""Cords, nodes, racks and PDUs out of NetBox."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.terminal import console, errors
from app.settings import Settings

_OF_NETBOX = "env:NAME or file:PATH of its API token."


def import_netbox(
    sources: Annotated[list[str], typer.Argument(help="Address of NetBox, or files of its answers.")],
    token: Annotated[str, typer.Option(help=_OF_NETBOX, show_default=False)] = "",
    site: Annotated[str, typer.Option(help="Slug of the site; all without it.", show_default=False)] = "",
    role: Annotated[list[str] | None, typer.Option(help="Slug of a role that is a node, repeatable (all).")] = None,
    outlet: Annotated[str, typer.Option(help="Finds the number in the name of an outlet.")] = r"(\d+)$",
    as_toml: Annotated[bool, typer.Option("--toml", help="Print it as a facility file.")] = False,
    do_apply: Annotated[bool, typer.Option("--apply", help="Change the facility; without it nothing changes.")] = False,
    effective: Annotated[str, typer.Option(help="Since when it counts, e.g. 2026-03-01T08:00:00Z (now).")] = "",
) -> None:
    """Take over where nodes stand and what they hang on from NetBox; prints what would change."""
    from app.cli.netbox.command import from_netbox
    from app.importers.netbox import Wish
    from app.services.facility import effective_ms
    from collectors.device import resolve

    secret = resolve(token).reveal() if token else None
    wish = Wish(site or None, tuple(role or ()), outlet)
    told = from_netbox(Settings(), sources, secret, wish, do_apply=do_apply, effective_ms=effective_ms(effective))
    for note in told.notes:
        errors.print(f"note: {note}", markup=False, soft_wrap=True)
    if as_toml:
        typer.echo(told.text, nl=False)
        return
    for change in told.changes:
        console.print(change.text, markup=False, soft_wrap=True)
    if not told.changes:
        console.print("nothing to change")
    elif not do_apply:
        errors.print("nothing was changed; --apply does it", markup=False)
