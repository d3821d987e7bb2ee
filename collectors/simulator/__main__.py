"""`python -m collectors.simulator [URL]`: the agents of the demo, optionally with history and jobs."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys

from collectors.contract import wall_clock_ms
from collectors.simulator.agents import AgentSet
from collectors.simulator.facility import simulate
from collectors.simulator.plant import Plant, read_facility_layout


def main() -> None:
    """Run until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m collectors.simulator", description=__doc__)
    parser.add_argument("url", nargs="?", help="server to fill, e.g. http://127.0.0.1:8000; without it only agents run")
    parser.add_argument("--days", type=float, default=7, help="days of history")
    asyncio.run(_run(parser.parse_args()))


async def _run(arguments: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    if arguments.url:
        await simulate(arguments.url, os.environ.get("WATTLINE_TOKEN"), stop, arguments.days, _report)
        return
    agents = AgentSet(Plant(read_facility_layout()), wall_clock_ms)
    await agents.start()
    for key, port in agents.ports.items():
        sys.stdout.write(f"{key} on port {port}\n")
    sys.stdout.flush()
    await stop.wait()
    await agents.stop()


def _report(done: int, total: int) -> None:
    sys.stderr.write(f"\rhistory {done}/{total}" + ("\n" if done == total else ""))


if __name__ == "__main__":
    main()
