"""`wattline import netbox`: the options."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import Effective
from app.cli.terminal import console, errors
from app.settings import Settings


def command(
    sources: Annotated[list[str], typer.Argument(help="Address of NetBox, or files with its responses.")],
    token: Annotated[str, typer.Option(help="API token of NetBox: env:NAME or file:PATH.", show_default=False)] = "",
    site: Annotated[str, typer.Option(help="Slug of the site (default: all).", show_default=False)] = "",
    role: Annotated[list[str] | None, typer.Option(help="Slug of a role that is a node, repeatable (all).")] = None,
    outlet: Annotated[str, typer.Option(help="Regular expression for the number of an outlet.")] = r"(\d+)$",
    as_toml: Annotated[bool, typer.Option("--toml", help="Print a facility file.")] = False,
    do_apply: Annotated[bool, typer.Option("--apply", help="Apply the changes instead of printing them.")] = False,
    effective: Effective = "",
) -> None:
    """Import racks, nodes, PDUs and cords from NetBox. Without --apply the changes are only printed."""
    from app.cli.imports.netbox.netbox_import import from_netbox
    from app.importers.netbox import Wish
    from app.services.facility import effective_ms
    from collectors.device import resolve

    secret = resolve(token).reveal() if token else None
    wish = Wish(site or None, tuple(role or ()), outlet)
    report = from_netbox(Settings(), sources, secret, wish, do_apply=do_apply, effective_ms=effective_ms(effective))
    for note in report.notes:
        errors.print(f"note: {note}", markup=False, soft_wrap=True)
    if as_toml:
        typer.echo(report.text, nl=False)
        return
    for change in report.changes:
        console.print(change.text, markup=False, soft_wrap=True)
    if not report.changes:
        console.print("nothing to change")
    elif not do_apply:
        errors.print("nothing was changed; use --apply to apply the changes", markup=False)
