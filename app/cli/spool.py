"""`wattline spool`: runs that the server does not know yet."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import SERVER, SpoolFolder, Token, Url
from app.cli.terminal import console


def command(
    send: Annotated[bool, typer.Option("--send/--list", help="Send the runs, or only list them.")] = True,
    spool: SpoolFolder = None,
    url: Url = SERVER,
    token: Token = "",
) -> None:
    """Register the runs that `wattline run` kept because the server did not respond or rejected them.

    Runs that are still rejected stay, with the reason; delete the file of a run to give it up. Ends with 1 if any is
    left.
    """
    from app.cli.run import Spool, default_folder, deliver_spool, open_client

    folder = Spool(spool or default_folder())
    if send:
        with open_client(url, token) as client:
            delivered = deliver_spool(client, folder, url, within_s=600.0)
        console.print(f"{delivered.sent} registered, {delivered.waiting} waiting", markup=False)
        if delivered.problem:
            console.print(delivered.problem, markup=False, soft_wrap=True)
    left = folder.records()
    for record in left:
        job = record.job
        text = f"{record.path}: {job['name']} from {job['start']} to {job['end']}, for {record.url}: {record.problem}"
        console.print(text, markup=False, soft_wrap=True)
    raise typer.Exit(1 if send and left else 0)
