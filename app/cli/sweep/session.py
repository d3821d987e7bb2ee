"""The loop of a sweep: set the cap, run, register the result, wait, repeat."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.cli.sweep.bench import Bench
from app.cli.sweep.plan import SweepRun
from app.cli.sweep.study import Study


@dataclass(frozen=True)
class Options:
    """cooldown_s: pause between runs. stop_on_failure: end at a failure. warm_up: an unregistered run first."""

    cooldown_s: float = 5.0
    stop_on_failure: bool = False
    warm_up: bool = False


@dataclass
class Outcome:
    """Results of the runs; `failed` holds the reason."""

    completed: list[SweepRun] = field(default_factory=list)
    failed: dict[SweepRun, str] = field(default_factory=dict)
    left: int = 0
    interrupted: bool = False


def sweep(
    bench: Bench,
    study: Study,
    runs: Sequence[SweepRun],
    options: Options,
    stop: threading.Event,
    say: Callable[[str], None],
) -> Outcome:
    """Execute the runs in order. A run is marked as failed if its command fails or its cap did not hold.

    Raises
    ------
    Invalid, Unavailable
        The server rejects a run; the sweep stops.
    CapDenied, CapFailed
        A cap cannot be set.
    """
    outcome = Outcome()
    if options.warm_up and runs:
        say(f"warm-up at {runs[0].cap} W, not registered")
        bench.set(runs[0].cap_w)
        bench.execute(runs[0])
        bench.rest(options.cooldown_s)
    for number, run in enumerate(runs, 1):
        if stop.is_set():
            break
        bench.set(run.cap_w)
        failure = _one(bench, study, run, stop)
        took = "" if failure is None else f": failed, {failure}"
        say(f"{number}/{len(runs)}  {run.cap} W, repeat {run.repeat}{took}")
        if failure is None:
            outcome.completed.append(run)
        else:
            outcome.failed[run] = failure
        if stop.is_set() or (failure is not None and options.stop_on_failure):
            break
        bench.rest(options.cooldown_s)
    outcome.left = len(runs) - len(outcome.completed) - len(outcome.failed)
    outcome.interrupted = stop.is_set()
    return outcome


def _one(bench: Bench, study: Study, run: SweepRun, stop: threading.Event) -> str | None:
    """Execute one run as a job and return why it failed, or None."""
    job = study.begin(run, bench.node, bench.tags, bench.now_ms())
    bench.note_job(job)
    try:
        status = bench.execute(run)
    except BaseException:
        study.end(job, bench.now_ms(), "the sweep failed")
        raise
    end_ms = bench.now_ms()
    failure = bench.lost(run.cap_w)
    if status:
        failure = f"the command exited with {status}"
    if stop.is_set():
        failure = "interrupted"
    study.end(job, end_ms, failure)
    bench.note_job(None)
    return failure
