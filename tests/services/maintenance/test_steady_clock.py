"""A clock that may be wrong deletes nothing, and a clock that steps changes nothing that is stored."""

import json
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.services.maintenance import SteadyClock, retire
from app.services.rollups.minute_rollups import refresh_minutes
from app.services.stores import open_stores
from app.services.timeseries import ingest_json, read_latest
from app.settings import Keep, Settings
from app.store.database import open_engine
from app.store.database.engine import migrate
from app.store.facility import Device, Node, Rack
from app.store.timeseries.compaction import seal
from collectors.contract import DAY_MS, HOUR_MS

SECOND = 1000
T0 = 20_000 * DAY_MS


class Clocks:
    """A wall clock that is set, and one that is not."""

    def __init__(self) -> None:
        self.wall, self.mono = T0, 0

    def run(self, ms: int) -> None:
        self.wall += ms
        self.mono += ms

    def steady(self, stored_ms: int | None) -> SteadyClock:
        return SteadyClock(lambda: self.wall, lambda: self.mono, stored_ms)


def test_a_clock_is_trusted_until_it_steps_and_again_after_a_day():
    clocks = Clocks()
    steady = clocks.steady(T0 - HOUR_MS)
    assert steady.is_trusted()
    clocks.run(40 * DAY_MS)
    clocks.wall += 30 * SECOND
    assert steady.is_trusted()  # as NTP sets it
    clocks.wall += 30 * DAY_MS
    assert not steady.is_trusted()
    clocks.run(23 * HOUR_MS)
    assert not steady.is_trusted()
    clocks.wall -= 30 * DAY_MS
    assert not steady.is_trusted()
    clocks.run(23 * HOUR_MS)
    assert not steady.is_trusted()
    clocks.run(HOUR_MS)
    assert steady.is_trusted()


def test_a_start_long_after_the_last_reading_is_not_trusted_for_a_day():
    clocks = Clocks()
    steady = clocks.steady(T0 - 30 * DAY_MS)
    assert not steady.is_trusted()
    clocks.run(DAY_MS)
    assert steady.is_trusted()
    assert clocks.steady(None).is_trusted()  # nothing is stored
    assert not clocks.steady(T0 + 3 * DAY_MS).is_trusted()


def frame(t_ms: int, watts: float) -> bytes:
    series = [{"point": "inlet", "quantity": "power", "unit": "W"}]
    return json.dumps({"device": "pdu", "interval_s": 10, "series": series, "t": [t_ms], "values": [[watts]]}).encode()


STEPS = st.lists(
    st.tuples(
        st.sampled_from([1, -1]),
        st.one_of(st.just(0), st.integers(SECOND, HOUR_MS), st.integers(HOUR_MS, 30 * DAY_MS)),
        st.integers(1, 5),
    ),
    min_size=1,
    max_size=8,
)


@pytest.mark.timeout(120)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_random_steps_of_the_clock_change_nothing_that_is_stored(tmp_path_factory, steps):
    """±1 s … ±30 days between frames: what was stored stays as it was, and the newest poll is the latest reading."""
    path = tmp_path_factory.mktemp("clock")
    engine = open_engine(f"sqlite:///{path}/w.db")
    migrate(engine)
    clocks = Clocks()
    keep = {"power": Keep(full_days=7)}
    stores = open_stores(Settings(data_dir=path, keep=keep), lambda: clocks.wall, engine)
    stores.facility.upsert([Rack(key="r"), Device(key="pdu", rack="r"), Node(key="n", feeds=("pdu/inlet",))])
    steady = clocks.steady(None)
    stored: dict[int, float] = {}
    for i, (sign, step_ms, polls) in enumerate(steps):
        clocks.wall += sign * step_ms
        for j in range(polls):
            clocks.run(10 * SECOND)
            watts = 100.0 + 10 * i + j
            result = ingest_json(stores, frame(clocks.wall, watts))
            assert not result.rejected
            if result.accepted:
                stored[clocks.wall] = watts
                assert read_latest(stores).value("pdu/inlet:power") == watts
        refresh_minutes(stores, "me")
        seal(engine, clocks.wall - HOUR_MS)
        if steady.is_trusted():
            retire(stores, "me", SimpleNamespace(keep=keep, alert_days=365))
        samples = stores.frames.read(["pdu/inlet:power"], 0, 1 << 50)["pdu/inlet:power"]
        assert dict(zip(samples.t_ms.tolist(), samples.v.tolist(), strict=True)) == stored
    engine.dispose()
