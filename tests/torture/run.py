"""Start, kill, judge; again and again."""

import multiprocessing
import random
import time
from dataclasses import dataclass

from tests.torture.plan import FRAMES, WRITERS
from tests.torture.verdict import Judge
from tests.torture.workers import acknowledged, keep_sealing, write

SEALERS = 2
LONGEST_S = 0.6
GRACE_S = 30.0


@dataclass(frozen=True)
class Report:
    """What a run went through; it would have failed had anything been lost, doubled or torn."""

    kills: int
    batches: int
    samples: int
    chunks: int
    unacknowledged: int

    def __str__(self):
        return (
            f"everything killed {self.kills} times ({self.kills * (WRITERS + SEALERS)} processes): "
            f"{self.batches} batches of {FRAMES} frames acknowledged, {self.samples} samples, {self.chunks} chunks; "
            f"{self.unacknowledged} times a batch was stored and not yet acknowledged; none lost, none twice, none torn"
        )


def torture(engine, folder, kills, seed=0, progress=lambda _done: None):
    """Kill all writers and sealers of a migrated, empty database `kills` times and judge after each.

    The database is that of `engine`; `folder` holds the ledgers. Raises AssertionError when something is wrong.
    """
    url = engine.url.render_as_string(hide_password=False)
    ledgers = [folder / f"writer-{writer}.ledger" for writer in range(WRITERS)]
    rng, judge, unacknowledged, standing = random.Random(seed), Judge(), 0, None
    for done in range(1, kills + 1):
        before = sum(map(acknowledged, ledgers))
        engine.dispose()  # after a crash nobody has the database open: the next one to open it recovers it
        processes = _start(url, ledgers)
        _until_some_work(ledgers, before, processes)
        time.sleep(rng.uniform(0, LONGEST_S))
        _kill(processes, rng)
        standing = judge.judge(engine, [acknowledged(ledger) for ledger in ledgers])
        unacknowledged += standing.unacknowledged
        progress(done)
    return Report(kills, sum(map(acknowledged, ledgers)), standing.samples, standing.chunks, unacknowledged)


def _start(url, ledgers):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.torture.workers"])
    work = [(write, (url, writer, ledger)) for writer, ledger in enumerate(ledgers)]
    work += [(keep_sealing, (url, ledgers))] * SEALERS
    processes = [context.Process(target=target, args=given, daemon=True) for target, given in work]
    for process in processes:
        process.start()
    return processes


def _until_some_work(ledgers, before, processes):
    deadline = time.monotonic() + GRACE_S
    while sum(map(acknowledged, ledgers)) == before:
        assert all(process.exitcode is None for process in processes), "a process failed by itself"
        assert time.monotonic() < deadline, "nothing is acknowledged after a restart"
        time.sleep(0.005)


def _kill(processes, rng):
    """SIGKILL to all, in random order, a random moment apart: some see the others die."""
    for process in rng.sample(processes, len(processes)):
        assert process.exitcode is None, "a process failed by itself"
        process.kill()
        time.sleep(rng.choice([0.0, 0.0, rng.uniform(0, 0.05)]))
    for process in processes:
        process.join(GRACE_S)
        process.close()
