"""Run a sweep on real GPUs or the simulated node and print its study."""

from __future__ import annotations

import asyncio
import random
import shlex
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from app.cli.run import answer, tags_of
from app.cli.sweep.bench import Bench, CommandBench
from app.cli.sweep.plan import SweepRun, caps, plan
from app.cli.sweep.report import LEAST_WIDTH, notes, spread, table
from app.cli.sweep.session import Options, Outcome, sweep
from app.cli.sweep.study import Study, moment
from app.cli.terminal import console
from app.errors import Invalid
from app.settings import Settings
from collectors.contract import wall_clock_ms
from collectors.power_cap import Journal, holding, open_library, undo
from collectors.simulator import GPUS, ApiClient, SimulatedBench, check_gpus, place, span_ms

_SETTLE_S = 20.0
_INTERRUPTED = 130
_USAGE = "wattline sweep --caps 100:260:10 --repeat 10 -- python train.py"


@dataclass(frozen=True)
class SweepOptions:
    """Options of the command."""

    command: Sequence[str]
    caps: str
    repeats: int = 1
    gpu: str = "all"
    name: str | None = None
    tags: Sequence[str] = ()
    node: str | None = None
    within: str = ""
    reference_w: float = 0.0
    shuffle: bool = False
    seed: int | None = None
    cooldown_s: float = 5.0
    warm_up: bool = False
    stop_on_failure: bool = False
    nvidia_smi: str = ""
    simulated: bool = False


@dataclass(frozen=True)
class _Work:
    """A planned sweep."""

    wanted: SweepOptions
    study: Study
    runs: Sequence[SweepRun]
    caps_w: Sequence[float]
    seed: int | None
    stop: threading.Event = field(default_factory=threading.Event)

    def sweep(self, bench: Bench) -> Outcome:
        """Execute the runs on a bench."""
        wanted = self.wanted
        options = Options(wanted.cooldown_s, wanted.stop_on_failure, wanted.warm_up)
        return sweep(bench, self.study, self.runs, options, self.stop, _say)


def run_sweep(wanted: SweepOptions, url: str, token: str) -> int:
    """Execute the sweep, print its study and return the exit status.

    Raises
    ------
    Invalid, ConfigError
        Options, caps or GPUs are invalid.
    CapDenied, CapFailed
        This user may not set caps, or a cap does not hold.
    Unavailable
        The server does not respond.
    """
    if not wanted.command and not wanted.simulated:
        raise Invalid("no command given", _USAGE)
    if not wanted.caps:
        raise Invalid("no caps given", _USAGE)
    caps_w = caps(wanted.caps)
    with _client(url, token) as client:
        if not wanted.simulated:
            _settle(client, _journal())
        work = _work(wanted, client, caps_w)
        outcome = _simulated(work, url, token) if wanted.simulated else _here(work)
        if not wanted.simulated and outcome.completed:
            time.sleep(_SETTLE_S)  # the last readings are still being delivered
        _report(work, outcome)
    return _INTERRUPTED if outcome.interrupted else 1 if outcome.failed else 0


def restore_caps(url: str, token: str) -> None:
    """Restore the caps that an interrupted sweep left, and end its job."""
    with _client(url, token) as client:
        if not _settle(client, _journal()):
            _say("there is nothing to restore")


def _journal() -> Journal:
    folder: Path = Settings().data_dir
    return Journal(folder / "power-caps.json")


def _client(url: str, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=url, headers=headers, timeout=120)


def _work(wanted: SweepOptions, client: httpx.Client, caps_w: Sequence[float]) -> _Work:
    name = wanted.name or (wanted.command[0].rpartition("/")[2] if wanted.command else "simulated sweep")
    study = Study(client, name, tags_of(wanted.tags), wanted.within or None)
    seed = random.randrange(2**31) if wanted.shuffle and wanted.seed is None else wanted.seed
    done, unended = study.known()
    for job in unended:
        _say(f"job {job} of this study has no end and is excluded: PATCH /api/v1/jobs/{job} with its end and state")
    runs = plan(caps_w, wanted.repeats, seed, done)
    total = len(caps_w) * wanted.repeats
    order = "cap by cap" if seed is None else f"shuffled by --seed {seed}"
    known = f", {total - len(runs)} of them already done" if len(runs) < total else ""
    _say(f"study {name}: {total} runs, {order}{known}")
    return _Work(wanted, study, runs, caps_w, seed)


def _here(work: _Work) -> Outcome:
    wanted = work.wanted
    through = shlex.split(wanted.nvidia_smi)
    library = open_library(through)
    try:
        with holding(library, through, wanted.gpu, work.caps_w, _journal()) as hold:
            part: dict[str, Any] = {"node": wanted.node or socket.gethostname()}
            if wanted.gpu != "all":
                part["gpus"] = [board.index for board in hold.boards]
            bench = CommandBench(part, hold, wanted.command, work.stop, work.seed)
            with bench.handling_signals():
                return work.sweep(bench)
    finally:
        library.close()


def _simulated(work: _Work, url: str, token: str) -> Outcome:
    wanted = work.wanted
    gpus = check_gpus(GPUS if wanted.gpu == "all" else len(wanted.gpu.split(",")))
    runs = [*work.runs, *work.runs[: int(wanted.warm_up)]]
    span = span_ms([run.cap_w for run in runs], gpus, wanted.cooldown_s)
    client = ApiClient(url, token or None)
    with asyncio.Runner() as runner:
        try:
            bench = SimulatedBench(client, runner, runner.run(place(client, wall_clock_ms(), span)), gpus)
            bench.rest(0.5)
            outcome = work.sweep(bench)
            bench.rest(0.5)
        finally:
            runner.run(client.close())
    return outcome


def _report(work: _Work, outcome: Outcome) -> None:
    if outcome.left:
        _say(f"{outcome.left} runs were not executed; repeat the command to continue")
    reference_w = work.wanted.reference_w or max(work.caps_w)
    found = work.study.groups()
    if reference_w in {float(group["key"]) for group in found["groups"]}:
        study = work.study.power_caps(reference_w)
        wide = Console(file=console.file, width=max(console.width, LEAST_WIDTH), highlight=False, emoji=False)
        wide.print(table(study, work.study.name))
        for line in notes(study):
            _say(line)
        return
    _say(f"no run at {reference_w:g} W to compare with; choose another cap with --reference")
    for group in found["groups"]:
        _say(f"{group['key']} W: n {group['n']}, {spread(group['energy_j'], 0.001)} kJ")
    for job in found["excluded"]:
        _say(f"excluded: {job['name']} ({job['id']}): {job['detail']}")


def _settle(client: httpx.Client, journal: Journal) -> bool:
    """Restore the caps that a dead sweep left and end its job; return False if there was none."""
    entry = undo(journal) if journal.path.exists() else None
    if entry is None:
        return False
    died_ms = entry.restored_ms or wall_clock_ms()
    caps_text = ", ".join(f"{cap_w:g} W" for cap_w in dict.fromkeys(entry.former_w.values()))
    _say(f"a sweep died at {moment(died_ms)}; the original caps of its GPUs are restored ({caps_text})")
    if entry.job is not None:
        _say(f"its run, job {entry.job}, is marked as failed")
        body = {"end": died_ms, "state": "failed", "tags": {"failure": "the sweep died"}}
        answer(client, "PATCH", f"/api/v1/jobs/{entry.job}", body)
    return True


def _say(text: str) -> None:
    console.print(text, markup=False, soft_wrap=True)
