"""What runs until it is stopped: server, collector, exporter; and what is wrong with an installation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.terminal import SERVER, Token, Url, console, progress_bar
from app.server import until_stopped
from app.settings import Settings

FacilityFile = Annotated[Path | None, typer.Option(help="Facility file to apply before starting.")]
Host = Annotated[str | None, typer.Option(help="Address to listen on (WATTLINE_HOST, 127.0.0.1).")]
Port = Annotated[int | None, typer.Option(help="Port to listen on (WATTLINE_PORT, 8000).")]

commands = typer.Typer()


@commands.command()
def up(
    demo: Annotated[bool, typer.Option("--demo", help="Start the simulated facility too.")] = False,
    facility: FacilityFile = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """API, dashboard and collector together on the embedded database."""
    from app.server import run_together

    run_together(_settings(host, port), facility, demo=demo)


@commands.command()
def serve(facility: FacilityFile = None, host: Host = None, port: Port = None) -> None:
    """API and dashboard alone."""
    from app.server import run_server

    run_server(_settings(host, port), facility)


@commands.command()
def collect(
    url: Url = SERVER,
    token: Token = "",
    name: Annotated[str, typer.Option(help="This collector's name.")] = "collector-1",
    traps: Annotated[
        int | None,
        typer.Option(envvar="WATTLINE_TRAP_PORT", min=1, max=65535, help="UDP port for SNMP notifications (off)."),
    ] = None,
) -> None:
    """Poll the devices the server hands out and deliver what they read."""
    from app.server import make_data_dir
    from collectors.polling import collect as run

    outbox = Settings().data_dir / f"outbox-{name}.sqlite"
    make_data_dir(outbox.parent)
    until_stopped(lambda stop: run(url, token or None, name, outbox, stop, traps))


@commands.command(hidden=True)
def simulate(url: Url = SERVER, token: Token = "", history_days: int = 7, hall: Path | None = None) -> None:
    """Serve the demo facility's devices; `up --demo` starts it."""
    from collectors.simulator import simulate as run
    from collectors.simulator.plant import DEMO

    with progress_bar() as bar:
        task = bar.add_task("history of the past week", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=done < total)

        until_stopped(lambda stop: run(url, token or None, stop, history_days, report, hall or DEMO))


@commands.command(name="nvml-exporter")
def nvml_exporter(
    host: Annotated[str, typer.Option(help="Address to listen on (all).", show_default=False)] = "",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 9835,
    interval: Annotated[float, typer.Option(help="Seconds between samples, at least 0.1.")] = 0.5,
    keep_minutes: Annotated[float, typer.Option(help="Minutes of samples to keep.")] = 10.0,
) -> None:
    """Sample this node's GPUs and serve them at /metrics and /samples; needs no server and no database."""
    from collectors.nvml_exporter import ANYWHERE, run

    run(host or ANYWHERE, port, interval, keep_minutes)


@commands.command()
def doctor() -> None:
    """Say in words what is wrong with this installation."""
    from app.server import findings

    bad = 0
    for finding in findings(Settings()):
        console.print(f"{'ok  ' if finding.ok else 'BAD '} {finding.text}")
        bad += not finding.ok
    raise typer.Exit(1 if bad else 0)


def _settings(host: str | None, port: int | None) -> Settings:
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    return Settings(**given)  # type: ignore[arg-type]
