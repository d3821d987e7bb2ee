"""`wattline record`: record an SNMP device for a bug report."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.cli.auth_option import AuthOption, CommunityOption, auth_table, snmp_sign_in
from app.cli.terminal import console, progress_bar


def command(
    url: Annotated[str, typer.Argument(help="snmp://HOST[:PORT]")],
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("device.snmprec"),
    community: CommunityOption = "public",
    auth: AuthOption = "",
    texts: Annotated[bool, typer.Option("--texts", help="Keep texts, for a device without a profile.")] = False,
) -> None:
    """Record the responses of an SNMP device for a bug report, without names, places, serial numbers and addresses.

    Check the file before you send it: with --texts it contains texts of the device.
    """
    from collectors.tools import record as run

    settings, plain = snmp_sign_in(community, auth_table(auth))
    with progress_bar() as bar:
        task = bar.add_task("objects", total=None)
        found = asyncio.run(run(url, settings, plain, texts, progress=lambda n: bar.update(task, completed=n)))
    out.write_text("\n".join(found.lines) + "\n", encoding="utf-8")
    console.print(f"{len(found.lines)} objects in {out}; profile: {found.profile or 'none matches'}", markup=False)
    console.print("check the file before you send it", markup=False)
