"""`wattline probe`: identify a device and read it once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.table import Table

from app.cli.auth_option import AuthOption, CommunityOption, auth_table, snmp_sign_in
from app.cli.probe.exploration import explore as explore_unit
from app.cli.probe.object_exploration import explore_agent
from app.cli.probe.options import (
    Amps,
    AsJson,
    Ca,
    Draft,
    Explore,
    Insecure,
    Password,
    Profile,
    Registers,
    Seconds,
    Url,
    User,
)
from app.cli.terminal import console

if TYPE_CHECKING:
    from collectors.tools import ProbeReport, RegisterReport


def command(
    url: Url,
    community: CommunityOption = "public",
    auth: AuthOption = "",
    profile: Profile = "auto",
    user: User = "",
    password: Password = "",
    ca: Ca = "",
    insecure: Insecure = False,
    as_json: AsJson = False,
    explore: Explore = False,
    registers: Registers = "0-65535",
    amps: Amps = None,
    seconds: Seconds = 10.0,
    draft: Draft = None,
) -> None:
    """Identify a device, print its profile and read every point once.

    With &register=N (and &table=input) in a Modbus address, print that register in every type and word order. With
    --explore, find all registers of a Modbus unit, or all objects of an SNMP device that no profile reads, and
    recognize voltage, current, power and energy among them.
    """
    from collectors.tools import probe as run
    from collectors.tools import probe_register

    _check_draft(draft, explore=explore)
    if explore and url.startswith("snmp://"):
        explore_agent(url, *snmp_sign_in(community, auth_table(auth)), seconds, draft, as_json)
        return
    if explore:
        explore_unit(url, registers, amps, seconds, draft, as_json)
        return
    if (register := asyncio.run(probe_register(url))) is not None:
        _print_register(register, as_json)
        return
    given = {"user": user, "password": password, "ca": ca, "insecure": insecure}
    settings, plain = snmp_sign_in(community, auth_table(auth))
    settings |= {name: value for name, value in given.items() if value}
    _print_report(asyncio.run(run(url, community=plain, profile=profile, auth=settings)), as_json)


def _check_draft(draft: Path | None, *, explore: bool) -> None:
    """Raise an error, before anything is read, if the draft cannot be written or would replace edited lines."""
    if draft is None:
        return
    if not explore:
        raise typer.BadParameter("a draft is written by an exploration: add --explore", param_hint="--draft")
    if draft.exists():
        raise typer.BadParameter(f"{draft} exists: name a new file, no edited lines are replaced", param_hint="--draft")
    if not draft.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {draft.absolute().parent}", param_hint="--draft")


def _shown(value: float, unit: str) -> tuple[str, str]:
    """Return a value and its unit; energy in kWh, as displays of devices show it."""
    value, unit = (value / 3.6e6, "kWh") if unit == "J" else (value, unit)
    return f"{value:,.7g}", unit


def _print_report(report: ProbeReport, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
        return
    generic = f" · generic: {', '.join(report.generic)}" if report.generic else ""
    table = Table(title=f"{report.vendor} {report.model} · profile {report.profile}{generic}", title_justify="left")
    for column in ("point", "quantity"):
        table.add_column(column)
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("sensor")
    for reading in report.readings:
        table.add_row(reading.point, reading.quantity, *_shown(reading.value, reading.unit), reading.sensor)
    console.print(table)
    for note in report.notes:
        console.print(note, markup=False, soft_wrap=True)
    if report.missing:
        console.print(f"no answer for: {', '.join(report.missing)}")


def _print_register(report: RegisterReport, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
        return
    words = " ".join(f"{word:04X}" for word in report.words)
    table = Table(title=f"{report.table} register {report.register}: {words}", title_justify="left")
    for column in ("type", "order"):
        table.add_column(column)
    table.add_column("value", justify="right")
    for guess in report.guesses:
        if guess.plausible:
            value = f"{guess.value:,}" if isinstance(guess.value, int) else f"{guess.value:,.9g}"
            table.add_row(guess.type, guess.order_name, value)
    console.print(table)
    console.print("implausible values are omitted (--json prints them); register numbers start at 0", markup=False)
