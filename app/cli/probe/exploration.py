"""`wattline probe --explore` of a Modbus unit: print what its registers hold and write a profile draft."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from app.cli.terminal import console

if TYPE_CHECKING:
    from collectors.tools import RegisterExploration


def explore(url: str, registers: str, amps: float | None, seconds: float, draft: Path | None, as_json: bool) -> None:
    """Explore a unit; write the draft of a profile if asked to.

    Raises
    ------
    CollectorError
        The address or range is invalid, or the unit does not answer.
    typer.BadParameter
        The range of registers cannot be parsed.
    """
    from collectors.tools import explore_registers

    first, last = _range(registers)
    with console.status("reading registers") as status:

        def asked(requests: int) -> None:
            if requests % 50 == 0:
                status.update(f"reading registers: {requests:,} requests")

        name = draft.stem if draft else "my-meter"
        found = asyncio.run(explore_registers(url, first, last, amps, pause_s=seconds, asked=asked, draft_name=name))
    if draft is not None and found.draft:
        draft.write_text(found.draft, encoding="utf-8")
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=2))
        return
    _print(found, draft)


def _range(given: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)-(\d+)", given)
    if match is None:
        raise typer.BadParameter(
            f"{given!r} is not a range of registers; write it like 0-9999", param_hint="--registers"
        )
    return int(match[1]), int(match[2])


def _print(found: RegisterExploration, draft: Path | None) -> None:
    counts = ", ".join(f"{count} {table}" for table, count in found.registers.items())
    title = f"{counts} registers" + (f" · profile {found.profile} fits" if found.profile else " · no profile fits")
    table = Table(title=title, title_justify="left")
    for column in ("point", "quantity", "register", "type"):
        table.add_column(column)
    for column in ("raw", "value"):
        table.add_column(column, justify="right")
    table.add_column("why")
    for row in found.findings:
        value = "scale unknown" if row.value is None else f"{row.value:,.6g} {row.unit}"
        where = f"{row.table} {row.address}"
        table.add_row(row.point, row.quantity, where, row.form.label, f"{row.raw:,.6g}", value, row.why)
    console.print(table)
    if not found.findings:
        hint = "a load of an ampere or more on all lines helps; &register=N shows single registers"
        console.print(f"nothing was recognized: {hint}", markup=False)
    elif found.has_open_scales:
        console.print("integers: give the largest line current that the meter displays with --amps", markup=False)
    if draft is not None and found.draft:
        console.print(f"profile draft: {draft}; compare it with the maker's list of registers", markup=False)
