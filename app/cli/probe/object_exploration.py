"""`wattline probe --explore` of an SNMP device: print what no profile reads and write a profile draft."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table

from app.cli.terminal import console

if TYPE_CHECKING:
    from collectors.tools import ObjectExploration

_MOST_TABLES = 40


def explore_agent(
    url: str, auth: dict[str, Any], community: str, seconds: float, draft: Path | None, as_json: bool
) -> None:
    """Explore a device; write the draft of a profile if asked to.

    Raises
    ------
    CollectorError
        The address is invalid, or the device does not answer.
    """
    from collectors.tools import explore_objects

    with console.status("reading objects") as status:

        def progress(objects: int) -> None:
            status.update(f"reading objects: {objects:,}")

        name = draft.stem if draft else "my-device"
        found = asyncio.run(explore_objects(url, community, auth, pause_s=seconds, progress=progress, draft_name=name))
    if draft is not None and found.draft:
        draft.write_text(found.draft, encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
        return
    _print(found, draft)


def _print(found: ObjectExploration, draft: Path | None) -> None:
    read = f"profile {found.profile} reads {found.read:,} of them" if found.profile else "no profile fits"
    console.print(f"{found.objects:,} objects, {read}; not read:", markup=False)
    for table in found.unread[:_MOST_TABLES]:
        rows = max(len(column.cells) for column in table.columns)
        columns = ", ".join(f".{column.oid.rpartition('.')[2]}" for column in table.columns)
        kind = "scalars" if table.is_scalars else f"table of {rows} rows, columns"
        console.print(f"  {table.entry}: {kind} {columns}", markup=False, soft_wrap=True)
    if len(found.unread) > _MOST_TABLES:
        console.print(f"  … and {len(found.unread) - _MOST_TABLES} more (--json prints all)", markup=False)
    shown = Table(title="recognized", title_justify="left")
    for column in ("object", "quantity", "unit"):
        shown.add_column(column)
    shown.add_column("scale", justify="right")
    shown.add_column("why")
    for row in found.findings:
        why = row.why if row.sure else f"perhaps: {row.why}"
        shown.add_row(row.column.oid, row.quantity, row.unit, f"{row.scale:g}", why)
    if found.findings:
        console.print(shown)
    else:
        console.print("nothing was recognized: a load of an ampere or more on several outlets helps", markup=False)
    if draft is not None and found.draft:
        console.print(f"profile draft: {draft}; compare it with the maker's MIB", markup=False)
