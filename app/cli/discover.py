"""`wattline discover`: find SNMP devices in a range of addresses."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from app.cli.auth_option import AuthOption, CommunityOption, auth_table, snmp_sign_in
from app.cli.terminal import console, errors, progress_bar
from app.errors import Invalid

_SILENT = {
    "device_timeout": "are silent (no device, SNMP not allowed from here, or a wrong community)",
    "port_closed": "have no SNMP agent (UDP port closed)",
    "network_error": "cannot be reached",
}


def command(
    addresses: Annotated[str, typer.Argument(help="A range like 10.0.0.0/24, or one address.")],
    go: Annotated[bool, typer.Option("--go", help="Send the queries; without it the addresses are printed.")] = False,
    community: CommunityOption = "public",
    auth: AuthOption = "",
    port: Annotated[int, typer.Option(min=1, max=65535, help="SNMP port.")] = 161,
    per_second: Annotated[float, typer.Option(min=0.1, max=1000, help="Addresses to query a second.")] = 10.0,
    timeout: Annotated[float, typer.Option(min=0.1, max=60, help="Seconds to wait for each address.")] = 1.0,
    site: Annotated[str, typer.Option(help="Key of the site in the facility file.")] = "site",
    out: Annotated[Path | None, typer.Option(help="Facility file to write (default: standard output).")] = None,
    large: Annotated[bool, typer.Option("--large", help="Allow more than 65,536 addresses.")] = False,
) -> None:
    """Query a range of addresses by SNMP and write a facility file of the devices that respond."""
    from collectors.tools import addresses as expand
    from collectors.tools import discover as run
    from collectors.tools import facility_toml

    hosts = expand(addresses, large)
    if not go:
        _preview(hosts, port, per_second, timeout)
        return
    settings, plain = snmp_sign_in(community, auth_table(auth))
    if out is not None and not out.parent.is_dir():
        raise Invalid(f"{out} cannot be written: {out.parent} is not a folder", "create it first", code="no_folder")
    unanswered: Counter[str] = Counter()

    async def work() -> str:
        found = []
        with progress_bar() as bar:
            task = bar.add_task("querying", total=len(hosts))
            asked = run(
                hosts, settings, port, per_second, timeout, lambda n: bar.update(task, completed=n), plain, unanswered
            )
            async for one in asked:
                found.append(one)
                result = f"{one.profile} {one.vendor} {one.model}" if one.profile else one.problem
                errors.print(f"{one.host}: {result}", markup=False, soft_wrap=True)
        reasons = "".join(f", {unanswered[code]} {text}" for code, text in _SILENT.items() if unanswered[code])
        errors.print(f"{len(found)} of {len(hosts)} addresses respond{reasons}", markup=False)
        return facility_toml(found, site, settings or _reference(plain), port)

    text = asyncio.run(work())
    if out is None:
        typer.echo(text)
    else:
        out.write_text(text, encoding="utf-8")


def _preview(hosts: Sequence[str], port: int, per_second: float, timeout_s: float) -> None:
    """Print what `--go` would query."""
    shown = [*hosts[:8], "…", hosts[-1]] if len(hosts) > 10 else hosts
    console.print(
        f"would query {len(hosts)} addresses on port {port}, {per_second:g} a second, "
        f"{max(len(hosts) / per_second, timeout_s):.0f} s or more: {', '.join(shown)}",
        markup=False,
        soft_wrap=True,
    )
    console.print("nothing was sent; --go sends the queries", markup=False)


def _reference(community: str) -> dict[str, str]:
    """Return the auth table for a community that was given in plain text, which no facility file may contain."""
    return {} if community == "public" else {"snmp": "2c", "community": "env:SNMP_COMMUNITY"}
