"""The command line: the one place that knows both halves, server and collectors."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from app.database_command import db
from app.errors import WattlineError
from app.proxy import reach_ourselves_directly
from app.settings import Settings
from app.supervisor import until_stopped
from collectors.errors import CollectorError

if TYPE_CHECKING:
    from collectors.register_guess import RegisterReport

app = typer.Typer(
    name="wattline",
    help="Power telemetry of a data center: from the metered outlet to the kilowatt-hours of one run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(db, name="db")

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

Url = Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Server to talk to.")]
Token = Annotated[str, typer.Option(envvar="WATTLINE_TOKEN", help="Its bearer token.", show_default=False)]
FacilityFile = Annotated[Path | None, typer.Option(help="Facility file to apply before starting.")]
Host = Annotated[str | None, typer.Option(help="Address to listen on (WATTLINE_HOST, 127.0.0.1).")]
Port = Annotated[int | None, typer.Option(help="Port to listen on (WATTLINE_PORT, 8000).")]
_SERVER = "http://127.0.0.1:8000"


@app.command()
def up(
    demo: Annotated[bool, typer.Option("--demo", help="Start the simulated facility too.")] = False,
    facility: FacilityFile = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """API, dashboard and collector together on the embedded database."""
    from app.launch import run_together

    run_together(_settings(host, port), facility, demo=demo)


@app.command()
def serve(facility: FacilityFile = None, host: Host = None, port: Port = None) -> None:
    """API and dashboard alone."""
    from app.launch import run_server

    run_server(_settings(host, port), facility)


@app.command()
def collect(
    url: Url = _SERVER,
    token: Token = "",
    name: Annotated[str, typer.Option(help="This collector's name.")] = "collector-1",
) -> None:
    """Poll the devices the server hands out and deliver what they read."""
    from app.launch import make_data_dir
    from collectors.runner import collect as run

    outbox = Settings().data_dir / f"outbox-{name}.sqlite"
    make_data_dir(outbox.parent)
    until_stopped(lambda stop: run(url, token or None, name, outbox, stop))


@app.command(hidden=True)
def simulate(url: Url = _SERVER, token: Token = "", history_days: int = 7) -> None:
    """Serve the demo facility's devices; `up --demo` starts it."""
    from collectors.simulator.facility import simulate as run

    with _progress() as bar:
        task = bar.add_task("history of the past week", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=done < total)

        until_stopped(lambda stop: run(url, token or None, stop, history_days=history_days, progress=report))


@app.command()
def probe(
    url: Annotated[
        str, typer.Argument(help="snmp://HOST[:PORT], modbus://HOST[:PORT]?unit=N or http://HOST:PORT/PATH")
    ],
    community: Annotated[str, typer.Option(help="SNMP community.")] = "public",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Identify a device, name its profile and read every point once.

    With &register=N (and &table=input) in a Modbus address: that register in every type and word order it could have.
    """
    from collectors.probe import probe as run
    from collectors.register_guess import probe_register

    if (register := asyncio.run(probe_register(url))) is not None:
        _print_register(register, as_json)
        return
    report = asyncio.run(run(url, community=community))
    if as_json:
        typer.echo(json.dumps(report.to_json(), ensure_ascii=False, indent=2))
        return
    table = Table(title=f"{report.vendor} {report.model} · profile {report.profile}", title_justify="left")
    for column in ("point", "quantity"):
        table.add_column(column)
    table.add_column("value", justify="right")
    table.add_column("unit")
    for reading in report.readings:
        table.add_row(reading.point, reading.quantity, f"{reading.value:,.6g}", reading.unit)
    console.print(table)
    if report.missing:
        console.print(f"not answered: {', '.join(report.missing)}")


@app.command(name="nvml-exporter")
def nvml_exporter(
    host: Annotated[str, typer.Option(help="Address to listen on (all).", show_default=False)] = "",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 9835,
    interval: Annotated[float, typer.Option(help="Seconds between samples, at least 0.1.")] = 0.5,
    keep_minutes: Annotated[float, typer.Option(help="Minutes of samples to keep.")] = 10.0,
) -> None:
    """Sample this node's GPUs and serve them at /metrics and /samples; needs no server and no database."""
    from collectors.nvml_exporter.command import ANYWHERE, run

    run(host or ANYWHERE, port, interval, keep_minutes)


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


@app.command()
def apply(
    facility: Annotated[Path, typer.Argument(help="The facility file.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would change, change nothing.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Remove what is at this site and not in the file.")] = False,
    effective: Annotated[str, typer.Option(help="Since when changes count, e.g. 2026-03-01T08:00:00Z (now).")] = "",
) -> None:
    """Check and load a facility."""
    from app.launch import apply_facility, prepare
    from app.services.facility_values import effective_ms

    def warn(text: str) -> None:
        errors.print(f"note: {text}", markup=False, soft_wrap=True)

    since_ms = effective_ms(effective)
    prepare(Settings(), None)
    changes = apply_facility(Settings(), facility, dry_run=dry_run, prune=prune, effective_ms=since_ms, warn=warn)
    for change in changes:
        console.print(change.text, markup=False, soft_wrap=True)
    if not changes:
        console.print("nothing to change")


@app.command(name="import")
def import_logs(
    files: Annotated[list[Path], typer.Argument(help="Logs, or folders of MLPerf runs.")],
    device: Annotated[str | None, typer.Option(help="The meter the log belongs to.")] = None,
    node: Annotated[str | None, typer.Option(help="The node it powers.")] = None,
    job: Annotated[bool, typer.Option("--job", help="Register the log's window as a job.")] = False,
    tz: Annotated[str, typer.Option(help="Zone of local times, e.g. Europe/Berlin.")] = "UTC",
    fmt: Annotated[str, typer.Option("--format", help="auto, spl, mlperf, csv, yokogawa or nvidia-smi.")] = "auto",
    url: Annotated[str, typer.Option(envvar="WATTLINE_URL", help="Server; none: this installation's database.")] = "",
    token: Token = "",
) -> None:
    """Bring meter logs into the table; importing again changes nothing."""
    from app.local import open_client
    from app.services.imports import run_import

    async def work() -> bool:
        async with open_client(Settings(), url, token) as client:
            with _progress() as bar:
                task = bar.add_task("importing", total=None)
                report = await run_import(
                    client,
                    files,
                    device=device,
                    node=node,
                    tz=tz,
                    as_job=job,
                    format=fmt,
                    progress=lambda done, total: bar.update(task, completed=done, total=total),
                )
        for line in report.lines():
            console.print(line, markup=False, soft_wrap=True)
        return report.failed

    raise typer.Exit(1 if asyncio.run(work()) else 0)


@app.command(name="run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run_job(
    command: Annotated[list[str], typer.Argument(help="-- CMD…")],
    name: Annotated[str | None, typer.Option(help="Name of the job.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="k=v, repeatable.")] = None,
    node: Annotated[str | None, typer.Option(help="The node it runs on (default: this host's name).")] = None,
    url: Url = _SERVER,
    token: Token = "",
) -> None:
    """Register a job around a command and print its energy at the end."""
    from app.job_command import run_command

    raise typer.Exit(run_command(url, token, command, name, tag or [], node, console.print))


@app.command()
def doctor() -> None:
    """Say in words what is wrong with this installation."""
    from app.doctor import findings

    bad = 0
    for finding in findings(Settings()):
        console.print(f"{'ok  ' if finding.ok else 'BAD '} {finding.text}")
        bad += not finding.ok
    raise typer.Exit(1 if bad else 0)


def _settings(host: str | None, port: int | None) -> Settings:
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    return Settings(**given)  # type: ignore[arg-type]


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=errors
    )


def main() -> None:
    """Entry point: our errors as one line and a hint, never a traceback."""
    reach_ourselves_directly()
    try:
        app()
    except (WattlineError, CollectorError) as error:
        _tell(error)
    except Exception as error:
        from app.mishap import told

        found = told(error)
        if found is None:
            raise
        _tell(found)


def _tell(error: WattlineError | CollectorError) -> NoReturn:
    errors.print(f"[bold]error:[/] {escape(str(error))}", soft_wrap=True)
    if error.hint:
        errors.print(f"       {error.hint}", markup=False, soft_wrap=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
