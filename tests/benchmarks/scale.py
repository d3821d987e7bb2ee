"""Pages, alerts, headroom, rollups, job lists and accounts of generated sites of several sizes, and their growth."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS
from tests.benchmarks.bench import Bench
from tests.benchmarks.report import Section
from tests.benchmarks.site import (
    NODES_PER_RACK,
    NOW_MS,
    SiteSize,
    forget_backlog,
    write_busy_days,
    write_facility,
    write_jobs,
    write_minutes,
    write_readings,
)
from tests.benchmarks.site_measures import SEARCHES

_REPEATS = 3


def run(bench: Bench) -> list[Section]:
    """Pages and alerts, rollups, headroom of a month, job lists, accounts of a month."""
    racks, months = ((20, 40), (10, 20)) if bench.quick else ((400, 2000), (400, 1000))
    jobs = (1_000, 10_000) if bench.quick else (10_000, 100_000)
    nodes = (20, 40) if bench.quick else (200, 2000)
    parts = [_pages(bench, racks), _rollups(bench, racks), _headroom(bench, months), _jobs(bench, jobs)]
    return [*parts, _accounts(bench, nodes)]


def _section(title: str, sizes: Sequence[int], unit: str, note: str) -> Section:
    section = Section(title, ("", *(f"{size:,} {unit}" for size in sizes), "exponent of growth"))
    section.notes.append(note)
    return section


def _pages(bench: Bench, racks: Sequence[int]) -> Section:
    section = _section(
        "Facility page and alert rules of large sites, CPU seconds",
        racks,
        "racks",
        "Ten nodes per rack with a cord on each of two PDUs, SQLite; in process, medians of three requests a second "
        "apart after a first one, which reads the layouts and the facility.",
    )
    for has_inlets in (True, False):
        urls = [_days(bench, SiteSize(n, has_inlets), 1) for n in racks]
        what = "PDUs with inlets" if has_inlets else "PDUs without inlets"
        for name, label in (("facility", "facility page"), ("alerts", "alert rules, one evaluation")):
            _row(section, f"{label}, {what}", racks, [_measured(name, url)["cpu_s"] for url in urls])
    return section


def _rollups(bench: Bench, racks: Sequence[int]) -> Section:
    section = _section(
        "Minute rollups of a day at once",
        racks,
        "racks",
        "A day of readings every minute, as after a long outage of the server: CPU seconds, peak memory of a process.",
    )
    for has_inlets in (True, False):
        what = "PDUs with inlets" if has_inlets else "PDUs without inlets"
        found = [_measured("rollups", _readings(bench, SiteSize(n, has_inlets)), 0) for n in racks]
        _row(section, f"CPU, {what}", racks, [one["cpu_s"] for one in found])
        section.add(f"memory, {what}", *(f"{one['peak_mb']:.0f} MB" for one in found))
    return section


def _headroom(bench: Bench, racks: Sequence[int]) -> Section:
    note = (
        "From noon to noon. The first time sums the past days of rows and feeds, too, as a server does in the "
        "background; the following ones are a minute apart."
    )
    section = _section("Headroom of 30 days by all nine levels, CPU seconds", racks, "racks", note)
    for has_inlets in (True, False):
        what = "PDUs with inlets" if has_inlets else "PDUs without inlets"
        found = [_measured("headroom", _days(bench, SiteSize(n, has_inlets), 30)) for n in racks]
        _row(section, f"the first time, {what}", racks, [one["first_s"] for one in found])
        _row(section, f"all levels, {what}", racks, [one["cpu_s"] for one in found])
    return section


def _accounts(bench: Bench, nodes: Sequence[int]) -> Section:
    note = "30 days over, each node held by three jobs a day on four nodes, of 80 users; the first time sums each day."
    section = _section("Accounts of a month by user, CPU seconds", nodes, "nodes", note)
    found = []
    for n in nodes:
        stores, url = _open(bench)
        size = SiteSize(n // NODES_PER_RACK)
        write_facility(stores, size)
        write_busy_days(stores, size, 30)
        stores.engine.dispose()
        found.append(_measured("accounts", url))
    _row(section, "the first time", nodes, [one["first_s"] for one in found])
    _row(section, "from the sums of days", nodes, [one["cpu_s"] for one in found])
    return section


def _jobs(bench: Bench, jobs: Sequence[int]) -> Section:
    section = _section("Job list with totals and choices, CPU seconds", jobs, "jobs", "The newest 50 of a filter.")
    urls = []
    for n in jobs:
        stores, url = _open(bench)
        size = SiteSize(400)
        write_facility(stores, size)
        write_jobs(stores, size, n)
        stores.engine.dispose()
        urls.append(url)
    for i, which in enumerate(SEARCHES):
        label = f"search “{which.q}”" if which.q else "all jobs"
        _row(section, label, jobs, [_measured(f"jobs-{i}", url)["cpu_s"] for url in urls])
    return section


def _row(section: Section, label: str, sizes: Sequence[int], spent_s: Sequence[float]) -> None:
    exponent = math.log(spent_s[-1] / spent_s[0]) / math.log(sizes[-1] / sizes[0])
    section.add(label, *(f"{one:.3f} s" for one in spent_s), f"{exponent:.2f}")


def _open(bench: Bench) -> tuple[Stores, str]:
    folder = bench.new_folder()
    url = f"sqlite:///{folder / 'wattline.db'}"
    engine = open_engine(url)
    migrate(engine)
    return open_stores(Settings(data_dir=folder), lambda: NOW_MS, engine), url


def _days(bench: Bench, size: SiteSize, days: int) -> str:
    """A site with its latest readings and the rollups of some days."""
    stores, url = _open(bench)
    write_facility(stores, size)
    write_readings(stores, size, NOW_MS - 5 * MINUTE_MS, NOW_MS + 1)
    forget_backlog(stores)
    write_minutes(stores, size, days)
    stores.engine.dispose()
    return url


def _readings(bench: Bench, size: SiteSize) -> str:
    """A site with a day of readings, the last hour of it not sealed, and no rollups."""
    stores, url = _open(bench)
    write_facility(stores, size)
    write_readings(stores, size, NOW_MS - DAY_MS - HOUR_MS, NOW_MS - HOUR_MS)
    write_readings(stores, size, NOW_MS - HOUR_MS, NOW_MS, frames_at_once=900)
    stores.engine.dispose()
    return url


def _measured(name: str, url: str, repeats: int = _REPEATS) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.site_measures", name, url, str(repeats)]
    root = Path(__file__).parents[2]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return found
