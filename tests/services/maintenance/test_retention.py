"""What is old goes, class by class; what was made of it stays."""

from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError
from sqlalchemy import text

from app.services.jobs.registry import change, one, refresh, register
from app.services.maintenance.retention import retire
from app.services.rollups.minute_rollups import refresh_minutes
from app.services.stores import Stores, open_stores
from app.settings import Keep, Settings
from app.store.database.engine import Engine, reading
from app.store.facility import Device, Node, Rack
from app.store.jobs.job import Job, JobNode
from app.store.timeseries.compaction import seal
from app.store.timeseries.readings import FrameBatch, WriteResult
from collectors.contract import DAY_MS, HOUR_MS
from collectors.contract.frame import Layout, Quantity, Series

DAY_0 = 20_000 * DAY_MS
LAYOUT = Layout(
    "pdu", "main", 600_000, (Series("inlet", Quantity.POWER), Series("probe/1", Quantity.TEMPERATURE))
)  # a week a chunk, 10 minutes a reading
WEEK = 7 * DAY_MS
FIRST = -(DAY_0 // -WEEK) * WEEK
KEEP = {
    "power": Keep(full_days=20, minute_days=40, hour_days=60),
    "environment": Keep(full_days=10),
}


class Clock:
    now = FIRST + 22 * DAY_MS

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def stores(engine: Engine, tmp_path: Path, clock: Clock) -> Stores:
    """Three weeks of 100 W, 200 W, 300 W; sealed, and with its minutes."""
    stores = open_stores(Settings(data_dir=tmp_path, keep=KEEP), clock, engine)
    stores.facility.upsert([Rack(key="r"), Device(key="pdu", rack="r"), Node(key="n", rack="r", feeds=("pdu/inlet",))])
    t = FIRST + 600_000 * np.arange(3 * 7 * 144, dtype=np.int64)
    watts = 100.0 * (1 + (t - FIRST) // WEEK)
    stores.frames.write([FrameBatch(LAYOUT, t, np.column_stack([watts, np.full(len(t), 20.0)]))])
    seal(stores.engine, clock.now)
    catch_up(stores)
    return stores


def catch_up(stores: Stores) -> None:
    while refresh_minutes(stores, "me"):
        pass


def weeks(stores: Stores, key: str) -> list[int]:
    """The weeks that samples are there of."""
    found = stores.frames.read([key], 0, 1 << 60)[key]
    return sorted(set(((found.t_ms - FIRST) // WEEK).tolist()))


def test_each_class_goes_in_its_own_time(stores: Stores, clock: Clock) -> None:
    assert retire(stores, "me", stores.settings) == 1
    # 10 days: probes before day 12; 20 days: power before day 2 (no week ends there)
    assert weeks(stores, "pdu/probe/1:temperature") == [1, 2]
    assert weeks(stores, "pdu/inlet:power") == [0, 1, 2]
    clock.now += 10 * DAY_MS
    assert retire(stores, "me", stores.settings) == 3
    assert weeks(stores, "pdu/probe/1:temperature") == []
    assert weeks(stores, "pdu/inlet:power") == [1, 2]
    assert retire(stores, "me", stores.settings) == 0
    with reading(stores.engine) as connection:
        assert connection.scalar(text("SELECT count(*) FROM chunk")) == 2


def test_the_minutes_stay_then_the_hours_then_nothing(stores: Stores, clock: Clock) -> None:
    subjects = ["node/n:power", "rack/r:power"]
    clock.now = FIRST + 42 * DAY_MS
    retire(stores, "me", stores.settings)
    assert weeks(stores, "pdu/inlet:power") == []
    found = stores.minutes.read(subjects, FIRST, FIRST + 3 * WEEK)
    for subject in subjects:
        told = found[subject]
        assert told.step_ms[:48].tolist() == [HOUR_MS] * 48  # days 0 and 1 are more than 40 days old
        assert told.step_ms[48] == 60_000
        assert told.integral[:2].tolist() == [360_000.0, 360_000.0]
        # a week each of 100, 200 and 300 W, and two ramps of 100 W that begin ten minutes early: 2 · 600 s · 50 W
        assert told.integral.sum() == pytest.approx(604_800 * 600 + 60_000)
        assert (told.low.min(), told.high.max()) == (100.0, 300.0)
    clock.now = FIRST + 81 * DAY_MS
    retire(stores, "me", stores.settings)
    assert [len(m) for m in stores.minutes.read(subjects, 0, clock.now).values()] == [0, 0]


def test_figures_of_a_job_stay(stores: Stores, clock: Clock) -> None:
    job = Job(name="old", start_ms=FIRST + HOUR_MS, end_ms=FIRST + 2 * HOUR_MS, nodes=(JobNode("n"),))
    found, _ = register(stores, job)
    refresh(stores, "me", 10)
    clock.now += 30 * DAY_MS
    retire(stores, "me", stores.settings)
    assert weeks(stores, "pdu/inlet:power") == []
    stores.facility.upsert([Node(key="another")])  # would have figures computed anew
    change(stores, found.id, tags={"model": "resnet"})
    refresh(stores, "me", 10)
    kept = one(stores, found.id).summary
    assert kept is not None
    assert kept.energy_j == pytest.approx(360_000.0)  # 100 W for an hour
    assert kept.coverage == 1.0


def test_one_process_at_a_time_computes_summaries(stores: Stores, clock: Clock) -> None:
    jobs = [
        stores.jobs.create(Job(start_ms=FIRST + i * HOUR_MS, end_ms=FIRST + (i + 1) * HOUR_MS, nodes=(JobNode("n"),)))
        for i in range(3)
    ]
    assert refresh(stores, "me", 1) == 1
    assert refresh(stores, "another", 10) == 0
    assert stores.jobs.outdated(10) == [jobs[1], jobs[0]]
    clock.now += 3 * 60_000  # "me" stopped in the middle
    assert refresh(stores, "another", 10) == 2
    assert stores.jobs.outdated(10) == []


def test_what_comes_too_late_changes_no_minutes(stores: Stores, clock: Clock) -> None:
    clock.now += 30 * DAY_MS
    retire(stores, "me", stores.settings)
    before = stores.minutes.read(["rack/r:power"], 0, clock.now)["rack/r:power"]
    late = FrameBatch(LAYOUT, np.array([FIRST + DAY_MS]), np.array([[900.0, 20.0]]))
    assert stores.frames.write([late]) == [WriteResult(1, 0, 0)]
    stores.facility.upsert([Node(key="another", rack="r", feeds=("pdu/inlet",))])
    catch_up(stores)
    after = stores.minutes.read(["rack/r:power"], 0, clock.now)["rack/r:power"]
    assert after.integral.tolist() == before.integral.tolist()
    seal(stores.engine, clock.now)
    retire(stores, "me", stores.settings)
    assert weeks(stores, "pdu/inlet:power") == []


def test_nothing_goes_before_its_minutes_are_made(stores: Stores, clock: Clock) -> None:
    late = FrameBatch(LAYOUT, np.array([FIRST + 1000]), np.array([[900.0, 20.0]]))
    stores.frames.write([late])
    clock.now += 10 * DAY_MS
    seal(stores.engine, clock.now)
    retire(stores, "me", stores.settings)
    assert weeks(stores, "pdu/inlet:power") == [0, 1, 2]
    catch_up(stores)
    retire(stores, "me", stores.settings)
    assert weeks(stores, "pdu/inlet:power") == [1, 2]
    assert stores.minutes.read(["rack/r:power"], FIRST, FIRST + 60_000)["rack/r:power"].high.tolist() == [900.0]


def test_without_settings_everything_stays(engine: Engine, tmp_path: Path) -> None:
    stores = open_stores(Settings(data_dir=tmp_path), lambda: 1 << 50, engine)
    stores.frames.write([FrameBatch(LAYOUT, np.array([FIRST]), np.array([[1.0, 2.0]]))])
    seal(engine, 1 << 50)
    assert retire(stores, "me", stores.settings) == 0
    assert weeks(stores, "pdu/inlet:power") == [0]


def test_what_is_coarser_is_kept_longer() -> None:
    assert Keep(full_days=30).minute_days is None
    for wrong in ({"full_days": 30, "minute_days": 20}, {"minute_days": 20}, {"hour_days": 100}, {"full_days": 0}):
        with pytest.raises(ValidationError):
            Keep(**wrong)


def test_it_is_set_by_one_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATTLINE_KEEP", '{"environment": {"full_days": 30}}')
    assert Settings().keep == {"environment": Keep(full_days=30)}
