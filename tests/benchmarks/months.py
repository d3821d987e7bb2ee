"""Long ranges: headroom of months out of the minute tier, and what a longer history costs a short question."""

from __future__ import annotations

import numpy as np

from app.domain.rollups.minute_steps import Minutes
from app.store.database.engine import Engine, writing
from app.store.rollups.days import day_figures, save_days
from app.store.rollups.minutes import MinuteStore, packed, save
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract import DAY_MS, MINUTE_MS
from tests.benchmarks.bench import Bench
from tests.benchmarks.ingest import DAY_FRAMES, INTERVAL_MS, SERIES, layout
from tests.benchmarks.report import Section, ms, seconds
from tests.benchmarks.samples import frames
from tests.benchmarks.sizes import FOR_EVER

DAYS = 30
_LIKE = 50


def days_of_nodes(engine: Engine, nodes: int) -> list[str]:
    """31 days of nodes in the minute tier; their subjects."""
    rng = np.random.default_rng(3)
    known = [_day(rng) for _ in range(_LIKE)]
    rows = [(packed(day), day_figures(day)) for day in known]
    subjects = [f"node/hgx-{i:05d}:power" for i in range(nodes)]
    for day in range(DAYS + 1):
        which = rng.integers(0, _LIKE, nodes)
        at = {"max_at_ms": day * DAY_MS}
        with writing(engine) as connection:
            if day in (0, DAYS):  # minutes are asked of the days at the ends alone
                save(connection, day * DAY_MS, {s: rows[k][0] for s, k in zip(subjects, which, strict=True)})
            days = {s: dict(rows[k][1]) | at for s, k in zip(subjects, which, strict=True)}
            save_days(connection, day * DAY_MS, days)
    return subjects


def _day(rng: np.random.Generator) -> Minutes:
    day = Minutes.blank(0, DAY_MS)
    levels = np.repeat(rng.choice([650.0, 2400, 5100, 8200], 48), 30)
    mean = np.round(levels + rng.normal(0, 1, len(day)) * (5 + 0.02 * levels))
    day.integral[:] = mean * 60
    day.low[:], day.high[:], day.covered_ms[:] = mean - 40, mean + 60, MINUTE_MS
    return day


def run(bench: Bench) -> list[Section]:
    """Headroom, then growth."""
    return [_headroom(bench), _growth(bench)]


def _headroom(bench: Bench) -> Section:
    section = Section("Headroom of 30 days", ("", "whole days", "from noon to noon"))
    section.notes.append(
        "Maximum with its time, p99, median, energy and coverage of every node, from the minute tier in SQLite; "
        "quantiles of minute means within 0.5 %. Partial days at the ends are read minute by minute; without what a "
        "server keeps in memory from one query to the next."
    )
    for nodes in (200, 1000) if bench.quick else (1000, 10_000):
        with bench.sqlite() as engine:
            subjects = days_of_nodes(engine, nodes)
            whole = seconds(lambda: MinuteStore(engine).observed(subjects, 0, DAYS * DAY_MS), 5)  # noqa: B023
            half = DAY_MS // 2
            cut = seconds(lambda: MinuteStore(engine).observed(subjects, half, DAYS * DAY_MS + half), 3)  # noqa: B023
            section.add(f"{nodes:,} nodes", ms(whole), ms(cut))
    return section


def _growth(bench: Bench) -> Section:
    section = Section("The same query with ten times the history", ("", "short history", "ten times that", "ratio"))
    short, hour, day = 1 if bench.quick else 3, DAY_MS // 24, DAY_MS - DAY_MS // 24
    section.notes.append(
        f"22 h of the last day of one outlet of {SERIES} of a PDU, after {short} and {10 * short} sealed days at 10 s."
    )
    with bench.sqlite() as engine:
        store = FrameStore(engine)
        found = []
        for first, last in ((0, short), (short, 10 * short)):
            _fill(store, first, last)
            seal(engine, FOR_EVER)
            end_ms = last * DAY_FRAMES * INTERVAL_MS
            found.append(seconds(lambda: store.read(["pdu-0/outlet/7:power"], end_ms - day, end_ms - hour), 41))  # noqa: B023
        section.add("read 22 h of one series", ms(found[0]), ms(found[1]), f"{found[1] / found[0]:.2f}")
    return section


def _fill(store: FrameStore, first: int, last: int) -> None:
    t, values = frames(DAY_FRAMES, SERIES, 1.0)
    t = t - t[0]
    for day in range(first, last):
        for at in range(0, DAY_FRAMES, 720):
            shifted = t[at : at + 720] + day * DAY_FRAMES * INTERVAL_MS
            store.write([FrameBatch(layout(0), shifted, values[at : at + 720])])
