"""The facility: checked and loaded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import Token, console, errors
from app.settings import Settings

commands = typer.Typer()


@commands.command()
def apply(
    facility: Annotated[Path, typer.Argument(help="The facility file.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change, change nothing.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove what is at this site and not in the file.")] = False,
    effective: Annotated[str, typer.Option(help="Since when changes count, e.g. 2026-03-01T08:00:00Z (now).")] = "",
) -> None:
    """Check and load a facility."""
    from app.server import apply_facility, prepare
    from app.services.facility import effective_ms
    from collectors.profiles import unknown_profile

    def warn(text: str) -> None:
        errors.print(f"note: {text}", markup=False, soft_wrap=True)

    since_ms = effective_ms(effective)
    prepare(Settings(), None)
    changes = apply_facility(Settings(), facility, dry_run=dry_run, prune=prune, effective_ms=since_ms, warn=warn)
    for change in changes:
        console.print(change.text, markup=False, soft_wrap=True)
        if profile := unknown_profile(change.fields.get("profile", (None, None))[1]):
            warn(f"{change.key}: {profile}")
    if not changes:
        console.print("nothing to change")


@commands.command()
def factor(
    site: Annotated[str, typer.Argument(help="Key of the site.")],
    kind: Annotated[str, typer.Argument(help="pue, price or carbon.")],
    series: Annotated[Path | None, typer.Argument(help="CSV of times and values, for one that changes.")] = None,
    value: Annotated[float | None, typer.Option(help="The value, for one that is constant.")] = None,
    unit: Annotated[str, typer.Option(help="1, EUR/kWh (any currency) or g/kWh.")] = "1",
    source: Annotated[str, typer.Option(help="Where it comes from; part of every answer.")] = "",
    tz: Annotated[str, typer.Option(help="Zone of times without an offset.")] = "UTC",
    url: Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Server; none: this installation's database.")] = "",
    token: Token = "",
) -> None:
    """Tell what a site's energy costs: PUE, price, carbon intensity."""
    from app.cli.factor import tell_factor

    console.print(asyncio.run(tell_factor(Settings(), url, token, site, kind, series, value, unit, source, tz)))
