"""Asking a device directly, without a server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from app.cli.signing_in import AuthOption, auth_table
from app.cli.terminal import console, errors, progress_bar

if TYPE_CHECKING:
    from collectors.tools import RegisterReport

commands = typer.Typer()


@commands.command()
def probe(
    url: Annotated[
        str,
        typer.Argument(
            help="snmp://HOST, modbus://HOST?unit=N, modbus+serial:///dev/NAME?unit=N, http://HOST:PORT/PATH, "
            "redfish://HOST, ipmi://HOST, scpi://HOST:PORT or vxi11://HOST"
        ),
    ],
    community: Annotated[str, typer.Option(help="SNMP community.")] = "public",
    auth: AuthOption = "",
    user: Annotated[str, typer.Option(help="User of a web interface or BMC.")] = "",
    password: Annotated[str, typer.Option(help="Its password: env:NAME or file:PATH.")] = "",
    ca: Annotated[str, typer.Option(help="CA file of its certificate.")] = "",
    insecure: Annotated[bool, typer.Option("--insecure", help="Do not check its certificate.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Identify a device, name its profile and read every point once.

    With &register=N (and &table=input) in a Modbus address: that register in every type and word order it could have.
    """
    from collectors.tools import probe as run
    from collectors.tools import probe_register

    if (register := asyncio.run(probe_register(url))) is not None:
        _print_register(register, as_json)
        return
    told = {"user": user, "password": password, "ca": ca, "insecure": insecure}
    settings = auth_table(auth) | {name: given for name, given in told.items() if given}
    report = asyncio.run(run(url, community=community, auth=settings))
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
        return
    table = Table(title=f"{report.vendor} {report.model} · profile {report.profile}", title_justify="left")
    for column in ("point", "quantity"):
        table.add_column(column)
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("shows")
    for reading in report.readings:
        table.add_row(reading.point, reading.quantity, f"{reading.value:,.6g}", reading.unit, reading.sensor)
    console.print(table)
    if report.missing:
        console.print(f"not answered: {', '.join(report.missing)}")


@commands.command()
def discover(
    addresses: Annotated[str, typer.Argument(help="A range like 10.0.0.0/24, or one address.")],
    go: Annotated[bool, typer.Option("--go", help="Ask them; without it the list is printed.")] = False,
    community: Annotated[str, typer.Option(help="SNMP community: env:NAME or file:PATH (public).")] = "",
    auth: AuthOption = "",
    port: Annotated[int, typer.Option(min=1, max=65535, help="SNMP port.")] = 161,
    per_second: Annotated[float, typer.Option(min=0.1, max=1000, help="Addresses to ask a second.")] = 10.0,
    timeout: Annotated[float, typer.Option(min=0.1, max=60, help="Seconds to wait for each.")] = 1.0,
    site: Annotated[str, typer.Option(help="Site of the facility file.")] = "site",
    out: Annotated[Path | None, typer.Option(help="Facility file to write (standard output).")] = None,
    large: Annotated[bool, typer.Option("--large", help="Allow more than 65,536 addresses.")] = False,
) -> None:
    """Ask a range of addresses by SNMP what they are, and write a facility file of what answers."""
    from collectors.tools import addresses as expand
    from collectors.tools import discover as run
    from collectors.tools import facility_toml

    hosts = expand(addresses, large)
    if not go:
        shown = [*hosts[:8], "…", hosts[-1]] if len(hosts) > 10 else hosts
        console.print(
            f"would ask {len(hosts)} addresses on port {port}, {per_second:g} a second, "
            f"{max(len(hosts) / per_second, timeout):.0f} s or more: {', '.join(shown)}",
            markup=False,
            soft_wrap=True,
        )
        console.print("nothing was asked; --go asks them", markup=False)
        return
    settings = {"snmp": "2c", "community": community} if community else auth_table(auth)

    async def work() -> str:
        found = []
        with progress_bar() as bar:
            task = bar.add_task("asking", total=len(hosts))
            async for one in run(hosts, settings, port, per_second, timeout, lambda n: bar.update(task, completed=n)):
                found.append(one)
                said = f"{one.profile} {one.vendor} {one.model}" if one.profile else one.problem
                errors.print(f"{one.host}: {said}", markup=False, soft_wrap=True)
        errors.print(f"{len(found)} of {len(hosts)} addresses answer", markup=False)
        return facility_toml(found, site, settings, port)

    text = asyncio.run(work())
    if out is None:
        typer.echo(text)
    else:
        out.write_text(text, encoding="utf-8")


@commands.command()
def record(
    url: Annotated[str, typer.Argument(help="snmp://HOST[:PORT]")],
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("device.snmprec"),
    community: Annotated[str, typer.Option(help="SNMP community: env:NAME or file:PATH (public).")] = "",
    auth: AuthOption = "",
    texts: Annotated[bool, typer.Option("--texts", help="Keep texts, for a device that no profile fits.")] = False,
) -> None:
    """Save what an SNMP device answers for a bug report, without names, places, serial numbers and addresses.

    Look through the file before you send it: with --texts the words of the device stay in it.
    """
    from collectors.tools import record as run

    settings = {"snmp": "2c", "community": community} if community else auth_table(auth)
    with progress_bar() as bar:
        task = bar.add_task("objects", total=None)
        found = asyncio.run(run(url, settings, texts, told=lambda n: bar.update(task, completed=n)))
    out.write_text("\n".join(found.lines) + "\n", encoding="utf-8")
    console.print(f"{len(found.lines)} objects in {out}; profile: {found.profile or 'none fits'}", markup=False)
    console.print("look through it before you send it", markup=False)


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
    console.print("what no meter would say is left out (--json has it); 0-based register numbers", markup=False)
