"""`wattline nvml-exporter`: export the power of this node's GPUs."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    host: Annotated[str, typer.Option(help="Address to listen on (all).", show_default=False)] = "",
    port: Annotated[int, typer.Option(help="Port to listen on.")] = 9835,
    interval: Annotated[float, typer.Option(help="Seconds between samples, at least 0.1.")] = 0.5,
    keep_minutes: Annotated[float, typer.Option(help="Minutes of samples to keep.")] = 10.0,
) -> None:
    """Sample the GPUs of this node and serve them at /metrics and /samples, without a server or database."""
    from collectors.nvml_exporter import ANYWHERE, run

    run(host or ANYWHERE, port, interval, keep_minutes)
