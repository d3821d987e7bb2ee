"""The machines of the papers and a server for them, on one clock."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from app.cli.sweep.plan import plan
from app.cli.sweep.session import Options, sweep
from app.cli.sweep.study import Study
from app.server.application import create_app
from app.server.serving import serving
from app.services.facility.apply_facility import apply_file
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from collectors.simulator.api_client import ApiClient
from collectors.simulator.rtx_bench import SimulatedBench, declare
from tests.papers.gdansk import study_name
from tests.papers.machines import FACILITY, START_MS, Campaign, SharedClock
from tests.papers.page import figures, page, write
from tests.papers.queries import Server

CAPS_W = tuple(range(100, 261, 10))
REPEATS = {8: 10, 4: 3, 2: 3, 1: 3}
_COOLDOWN_S = 5.0
_PATIENCE_S = 300
_SWEEPS_MS = 3 * 86_400_000
"""How long the sweeps begin before the runs of the other papers."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Lab:
    """A server with a new database and the facility of the papers, on the simulated clock."""

    url: str
    clock: SharedClock

    def measure(self, say: Say, *, polled: bool = True) -> Campaign:
        """Run the campaign of papers 1 and 3."""

        async def run() -> Campaign:
            client = ApiClient(self.url)
            try:
                campaign = Campaign(client, self.clock, say, polled=polled)
                await campaign.run()
                return campaign
            finally:
                await client.close()

        return asyncio.run(run())

    def sweep(self, gpus: int, caps_w: Sequence[float], repeats: int) -> None:
        """Run the sweep of paper 2 for one number of GPUs."""
        client = ApiClient(self.url)
        with asyncio.Runner() as runner, httpx.Client(base_url=self.url, timeout=_PATIENCE_S) as http:
            try:
                runner.run(declare(client))
                bench = SimulatedBench(client, runner, self.clock() + 1000, gpus, self.clock.forward)
                study = Study(http, study_name(gpus), {"paper": "koszczal-2023"})
                bench.rest(0.5)
                sweep(bench, study, plan(caps_w, repeats), Options(_COOLDOWN_S), threading.Event(), lambda _: None)
                bench.rest(0.5)
            finally:
                runner.run(client.close())

    @contextlib.contextmanager
    def api(self) -> Iterator[Server]:
        """Yield a client of its API."""
        with httpx.Client(base_url=self.url, timeout=_PATIENCE_S) as client:
            yield Server(client)


@contextlib.contextmanager
def laboratory(folder: Path) -> Iterator[Lab]:
    """Start a server with its data in `folder` on any free port."""
    settings = Settings(
        data_dir=folder,
        database_url=f"sqlite:///{folder / 'papers.db'}",
        read_token=None,
        ingest_token=None,
        admin_token=None,
    )
    engine = open_engine(settings.database_url)
    migrate(engine)
    clock = SharedClock(START_MS - _SWEEPS_MS)
    app = create_app(settings, clock, engine)
    try:
        apply_file(app.state.stores, FACILITY)
        with serving(app, background_tasks=False) as url:
            yield Lab(url, clock)
    finally:
        engine.dispose()


def write_papers(out: Path, say: Say) -> None:
    """Measure everything, then write the page and its figures."""
    with tempfile.TemporaryDirectory() as folder, laboratory(Path(folder)) as lab:
        for gpus, repeats in REPEATS.items():
            say(f"sweeping {gpus} of 8 GPUs: {len(CAPS_W)} caps, {repeats} runs each")
            lab.sweep(gpus, CAPS_W, repeats)
        campaign = lab.measure(say)
        say("querying the server")
        with lab.api() as server:
            text = page(server, START_MS, lab.clock(), campaign.how)
            write(text, figures(server), out)
    say(f"wrote {out}")
