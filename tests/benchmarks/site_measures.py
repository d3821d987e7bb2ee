"""One measurement on a generated site in a process of its own: its CPU seconds and its peak memory, printed as JSON.

`python -m tests.benchmarks.site_measures facility sqlite:////tmp/site/wattline.db`
"""

from __future__ import annotations

import gc
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from pathlib import Path

from app.api.http import Json
from app.presentation.facility import facility_view
from app.presentation.jobs import present_jobs
from app.server.launch import GARBAGE_THRESHOLDS
from app.services.accounts import accounts
from app.services.alerts import evaluate
from app.services.headroom import headroom_rows
from app.services.pages import read_facility_page, read_job_list
from app.services.rollups import refresh_minutes
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database.engine import open_engine
from app.store.jobs import JobFilter
from collectors.contract import DAY_MS, MINUTE_MS, SECOND_MS
from tests.benchmarks.site import NOW_MS, last_day

LEVELS = ("node", "rack", "room", "site", "feed", "pdu", "phase", "model", "row")
STEPS_MS = {"headroom": MINUTE_MS}
"""How far the clock moves between two measurements: totals of months are kept for a minute."""
SEARCHES = tuple(JobFilter(q=word) for word in (None, "train-17", "n-0003", "model7", "nothing"))


class SiteClock:
    """A clock that a measurement moves, by default by a second, so that nothing kept for so long helps the next one."""

    def __init__(self) -> None:
        self.now_ms = NOW_MS

    def __call__(self) -> int:
        return self.now_ms


def _facility(stores: Stores) -> object:
    return Json(facility_view(read_facility_page(stores, last_day(stores.now_ms()))))


def _alerts(stores: Stores) -> object:
    return evaluate(stores, "bench")


def _headroom(stores: Stores) -> object:
    now_ms = stores.now_ms()
    return [headroom_rows(stores, level, now_ms - 30 * DAY_MS, now_ms) for level in LEVELS]  # type: ignore[arg-type]


def _rollups(stores: Stores) -> object:
    while refresh_minutes(stores, "bench"):
        pass
    return None


def _jobs(which: JobFilter) -> Callable[[Stores], object]:
    return lambda stores: Json(present_jobs(read_job_list(stores, which, "-start", 50, None)))


def _accounts(stores: Stores) -> object:
    end = datetime.fromtimestamp(NOW_MS / 1000, UTC).date()
    return accounts(stores, "user", "window", date.fromordinal(end.toordinal() - 30), end)


MEASURES: Mapping[str, Callable[[Stores], object]] = {
    "facility": _facility,
    "alerts": _alerts,
    "headroom": _headroom,
    "rollups": _rollups,
    "accounts": _accounts,
    **{f"jobs-{i}": _jobs(which) for i, which in enumerate(SEARCHES)},
}


def main(name: str, url: str, repeats: int) -> None:
    """Measure one thing: the first time, and the median of the following ones."""
    clock = SiteClock()
    stores = open_stores(Settings(data_dir=Path(tempfile.mkdtemp())), clock, open_engine(url))
    gc.freeze()  # as the server does
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    stores.jobs.prepare_lists()  # as the server does in the background
    spent_s = []
    for _ in range(repeats + 1):
        began_s = time.process_time()
        MEASURES[name](stores)
        spent_s.append(time.process_time() - began_s)
        clock.now_ms += STEPS_MS.get(name, SECOND_MS)
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    again_s = statistics.median(spent_s[1:]) if repeats else spent_s[0]
    print(json.dumps({"first_s": spent_s[0], "cpu_s": again_s, "peak_mb": peak_kb / 1024}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3)
