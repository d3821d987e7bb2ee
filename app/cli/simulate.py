"""`wattline simulate`: run the simulated facility of `up --demo`."""

from __future__ import annotations

from pathlib import Path

from app.cli.options import SERVER, Token, Url
from app.cli.terminal import progress_bar


def command(url: Url = SERVER, token: Token = "", history_days: int = 7, hall: Path | None = None) -> None:
    """Run the devices of the demo facility; `up --demo` starts this."""
    from app.server import until_stopped
    from collectors.simulator import simulate as run
    from collectors.simulator.plant import DEMO

    with progress_bar() as bar:
        task = bar.add_task("history of the last week", total=None)

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=done < total)

        until_stopped(lambda stop: run(url, token or None, stop, history_days, report, hall or DEMO))
