"""The minute tier equals what the raw curves give, whatever came when and however the facility was corrected."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from app.domain.rollups.minute_steps import Minutes, minutes, together
from app.domain.timeseries.concatenate import filled
from app.domain.timeseries.curve import Curve, add, from_samples, window
from app.models import METADATA
from app.services.rollups.minute_rollups import refresh_minutes
from app.services.rollups.rollup_parts import RollupStretch, RollupWork
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.database.engine import Engine, reading, writing
from app.store.database.task_lock import acquire_task_lock
from app.store.facility import Device, Facility, Node, Rack, Room, Site
from app.store.jobs.job import Job, JobNode, Summary
from app.store.rollups.minutes import MinuteStore
from app.store.timeseries import stale_days
from app.store.timeseries.compaction import seal
from app.store.timeseries.readings import FrameBatch
from collectors.contract import DAY_MS, MINUTE_MS
from collectors.contract.frame import Layout, Quantity, Series

MIDNIGHT = 20_000 * DAY_MS
START, END = MIDNIGHT - 30 * MINUTE_MS, MIDNIGHT + 60 * MINUTE_MS
NOW = MIDNIGHT + 50 * MINUTE_MS
POWER, CURRENT = Quantity.POWER, Quantity.CURRENT
LAYOUTS = {
    layout.device: layout
    for layout in (
        Layout("pdu-1", "main", 10_000, (Series("inlet", POWER), Series("inlet/l1", CURRENT))),
        Layout("pdu-2", "main", 10_000, (Series("outlet/1", POWER), Series("outlet/2", POWER))),
        Layout("n1-bmc", "main", 20_000, (Series("total", POWER),)),
        Layout("n4-gpu", "main", 5_000, (Series("gpu/0", POWER), Series("gpu/1", POWER))),
    )
}
NODES = {
    "n1": Node(key="n1", rack="r2", site="s", feeds=("pdu-2/outlet/1",)),
    "n2": Node(key="n2", rack="r2", site="s", feeds=("pdu-2/outlet/2",)),
    "n4": Node(key="n4", rack="r3", site="s"),
}
SUBJECTS = [
    "node/n1:power", "node/n2:power", "node/n4:power", "pdu/pdu-1:power", "pdu/pdu-2:power",
    "line/pdu-1/inlet/l1:current", "rack/r1:power", "rack/r2:power", "rack/r3:power", "room/a:power",
    "room/b:power", "site/s:power",
]  # fmt: skip


@pytest.fixture
def stores(engine: Engine, tmp_path: Path) -> Stores:
    return open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)


def build(stores: Stores) -> None:
    """Room a: r1 by its PDU's inlet, r2 by its nodes. Room b: r3. n1 has a BMC too, n4 nothing but its GPUs."""
    stores.facility.upsert(
        [
            Site(key="s"),
            *(Room(key=key, site="s") for key in "ab"),
            *(Rack(key=key, room=room, site="s") for key, room in (("r1", "a"), ("r2", "a"), ("r3", "b"))),
            Device(key="pdu-1", rack="r1"),
            Device(key="pdu-2", rack="r2"),
            Device(key="n1-bmc", kind="bmc", node="n1"),
            Device(key="n4-gpu", kind="exporter", node="n4"),
            *NODES.values(),
        ]
    )


class Truth:
    """Every sample that was stored."""

    def __init__(self) -> None:
        self.samples: dict[str, dict[int, float]] = {}

    def write(self, stores: Stores, device: str, first: int, n: int, seed: int) -> None:
        layout = LAYOUTS[device]
        t = START + layout.interval_ms * (first + np.arange(n, dtype=np.int64))
        t = t[t < NOW]
        values = np.random.default_rng(seed).integers(100, 900, (len(t), len(layout.series))).astype(float)
        values[values < 200] = np.nan
        stores.frames.write([FrameBatch(layout, t, values)])
        for series, column in zip(layout.series, values.T, strict=True):
            stood = self.samples.setdefault(f"{device}/{series.key}", {})
            for t_ms, v in zip(t.tolist(), column.tolist(), strict=True):
                if v == v:
                    stood.setdefault(t_ms, v)

    def curve(self, key: str) -> Curve:
        layout = LAYOUTS[key.partition("/")[0]]
        found = self.samples.get(key, {})
        return from_samples(list(found), list(found.values()), layout.interval_ms, layout.max_gap_ms)

    def node(self, facility: Facility, key: str, start: int, end: int) -> Curve:
        if key == "n4":
            return add([self.curve("n4-gpu/gpu/0:power"), self.curve("n4-gpu/gpu/1:power")])
        wall = add([self.curve(f"{feed.key}:power") for feed in facility.connections_of(key)])
        return filled(wall, self.curve("n1-bmc/total:power") if key == "n1" else Curve.empty(), start, end)[0]

    def racks(self, facility: Facility, start: int, end: int) -> dict[str, Curve]:
        found = {"r1": self.curve("pdu-1/inlet:power")}
        for rack in ("r2", "r3"):
            found[rack] = add([self.node(facility, n.key, start, end) for n in facility.nodes_in(rack)])
        return {rack: window(curve, start, end) for rack, curve in found.items()}

    def minutes(self, stores: Stores, day: int) -> dict[str, Minutes]:
        edges = [0, *stores.facility.moments(0, END), END + DAY_MS]
        stretches = [(a, b, stores.facility.at(a)) for a, b in pairwise(edges)]
        racks = [self.racks(facility, a, b) for a, b, facility in stretches]
        read = {rack for each in racks for rack, curve in each.items() if len(window(curve, day, day + DAY_MS))}
        parts: dict[str, list[Minutes]] = {}
        for (a, b, facility), each in zip(stretches, racks, strict=True):
            curves = {f"node/{n}:power": self.node(facility, n, a, b) for n in NODES}
            curves["pdu/pdu-1:power"] = self.curve("pdu-1/inlet:power")
            curves["pdu/pdu-2:power"] = add([self.curve(f"pdu-2/outlet/{n}:power") for n in (1, 2)])
            curves["line/pdu-1/inlet/l1:current"] = self.curve("pdu-1/inlet/l1:current")
            curves |= {f"rack/{rack}:power": curve for rack, curve in each.items()}
            for room in "ab":
                curves[f"room/{room}:power"] = add([each[r] for r in sorted(read) if facility.racks[r].room == room])
            curves["site/s:power"] = add([each[r] for r in sorted(read)])
            for subject, curve in curves.items():
                parts.setdefault(subject, []).append(minutes(window(curve, a, b), day, day + DAY_MS))
        return {subject: together(found) for subject, found in parts.items()}


def check(stores: Stores, truth: Truth) -> None:
    store = MinuteStore(stores.engine)
    for day in (MIDNIGHT - DAY_MS, MIDNIGHT):
        expected = truth.minutes(stores, day)
        found = store.read(SUBJECTS, day, day + DAY_MS)
        for subject in SUBJECTS:
            wanted = expected[subject].part(expected[subject].covered_ms > 0)
            told = found[subject]
            assert told.t_ms.tolist() == wanted.t_ms.tolist(), subject
            assert told.covered_ms.tolist() == wanted.covered_ms.tolist(), subject
            for name in ("integral", "low", "high"):
                np.testing.assert_allclose(getattr(told, name), getattr(wanted, name), rtol=1e-9, atol=1e-6)


def test_the_figures_of_a_rack_by_hand(stores: Stores) -> None:
    build(stores)
    # 100 W, a minute later 400 W: half of the minute before midnight, then held for 10 s
    times = MIDNIGHT + 1000 * np.array([-30, -20, -10, 0, 10, 20])
    watts = np.array([[100.0, 1.0], [150.0, 1.0], [200.0, 1.0], [250.0, 1.0], [300.0, 1.0], [400.0, 1.0]])
    stores.frames.write([FrameBatch(LAYOUTS["pdu-1"], times, watts)])
    assert refresh_minutes(stores, "me") > 0
    found = MinuteStore(stores.engine).read(["rack/r1:power", "room/a:power", "rack/r2:power"], START, END)
    for subject in ("rack/r1:power", "room/a:power"):
        told = found[subject]
        assert told.t_ms.tolist() == [MIDNIGHT - MINUTE_MS, MIDNIGHT]
        assert told.integral.tolist() == [5250.0, 10_250.0]  # 30 s · 175 W; 10 s · (275 + 350 + 400) W
        assert (told.low.tolist(), told.high.tolist()) == ([100.0, 250.0], [250.0, 400.0])
        assert told.covered_ms.tolist() == [30_000, 30_000]
    assert len(found["rack/r2:power"]) == 0
    seen = stores.minutes.observed(["rack/r1:power", "rack/r2:power"], MIDNIGHT - DAY_MS, MIDNIGHT + DAY_MS)
    assert list(seen) == ["rack/r1:power"]
    told = seen["rack/r1:power"]
    assert (told.integral, told.covered_ms, told.max) == (15_500.0, 60_000, 400.0)
    assert told.max_at_ms == MIDNIGHT
    assert (told.median, told.p99) == pytest.approx((175.0, 341.6666666667), rel=0.005)
    # of the day after midnight the minute that is over, of the one before all of it
    cut = stores.minutes.observed(["rack/r1:power"], MIDNIGHT - DAY_MS, MIDNIGHT + 2 * MINUTE_MS)
    assert cut == seen
    cut = stores.minutes.observed(["rack/r1:power"], MIDNIGHT - DAY_MS, MIDNIGHT + MINUTE_MS - 1)
    assert (cut["rack/r1:power"].integral, cut["rack/r1:power"].max) == (5250.0, 250.0)
    cut = stores.minutes.observed(["rack/r1:power"], MIDNIGHT, MIDNIGHT + MINUTE_MS)
    assert (cut["rack/r1:power"].integral, cut["rack/r1:power"].max) == (10_250.0, 400.0)
    assert stores.minutes.observed(["rack/r1:power"], MIDNIGHT + MINUTE_MS, MIDNIGHT + DAY_MS) == {}


bursts = st.tuples(
    st.just("write"), st.sampled_from(sorted(LAYOUTS)), st.integers(0, 400), st.integers(1, 90), st.integers(0, 99)
)
moments = st.integers(START, NOW)
moves = st.tuples(st.just("move"), st.sampled_from(["n1", "n2"]), st.sampled_from(["r2", "r3"]), moments)
cords = st.tuples(st.just("cord"), st.sampled_from(["n1", "n2"]), st.sampled_from(["1", "2"]), moments)
others = st.tuples(st.sampled_from(["refresh", "seal"]))


def play(stores: Stores, truth: Truth, step: tuple) -> None:
    match step:
        case "write", device, first, n, seed:
            truth.write(stores, device, first, n, seed)
        case "move", node, rack, at:
            known = stores.facility.now().nodes[node]
            stores.facility.upsert([Node(key=node, rack=rack, site="s", feeds=known.feeds)], effective_ms=at)
        case "cord", node, outlet, at:
            rack = stores.facility.now().nodes[node].rack
            feeds = (f"pdu-2/outlet/{outlet}",)
            stores.facility.upsert([Node(key=node, rack=rack, site="s", feeds=feeds)], effective_ms=at)
        case ("seal",):
            seal(stores.engine, NOW, window_frames=64)
        case _:
            refresh_minutes(stores, "me")


def test_it_equals_what_the_raw_curves_give(engine: Engine, tmp_path: Path) -> None:
    examples = 30 if engine.dialect.name == "sqlite" else 10

    @settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
    )
    @given(st.lists(st.one_of(bursts, bursts, bursts, moves, cords, others), min_size=1, max_size=14), st.booleans())
    @example(
        [
            ("write", "pdu-1", 150, 64, 3),
            ("write", "n4-gpu", 29, 25, 66),
            ("refresh",),
            ("move", "n1", "r3", MIDNIGHT + 742_236),
            ("cord", "n1", "2", MIDNIGHT - 1_764_098),  # r3 is read no longer on the day before
        ],
        False,
    )
    @example(
        [("write", "pdu-1", 180, 90, 1), ("refresh",), ("write", "n4-gpu", 400, 20, 2)],  # r3 is read, but only early
        True,
    )
    def run(steps: list[tuple], built_first: bool) -> None:
        with writing(engine) as connection:
            for table in METADATA.tables.values():
                connection.execute(table.delete())
        stores, truth = open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine), Truth()
        if built_first:
            build(stores)
        else:  # the readings were there before the facility was described
            for step in steps:
                if step[0] == "write":
                    play(stores, truth, step)
            refresh_minutes(stores, "me")
            build(stores)
        for step in steps:
            play(stores, truth, step)
        refresh_minutes(stores, "me")
        check(stores, truth)
        with reading(engine) as connection:
            assert connection.exec_driver_sql("SELECT count(*) FROM rollup_backlog").scalar() == 0
            assert connection.exec_driver_sql("SELECT count(due_ms) FROM facility_change").scalar() == 0

    run()


def test_a_new_node_without_readings_leaves_its_rack_without_a_sum(stores: Stores) -> None:
    build(stores)
    Truth().write(stores, "pdu-2", 200, 30, 1)
    refresh_minutes(stores, "me")
    assert "rack/r2:power" in stores.minutes.known(MIDNIGHT)
    stores.facility.upsert([Node(key="n3", rack="r2", site="s")])
    refresh_minutes(stores, "me")
    assert "rack/r2:power" not in stores.minutes.known(MIDNIGHT)
    assert "node/n1:power" in stores.minutes.known(MIDNIGHT)


def test_figures_of_jobs_are_reported_again_in_case_no_one_was_left_to_tell_them(stores: Stores) -> None:
    build(stores)
    job = stores.jobs.create(
        Job(name="a", start_ms=START, end_ms=MIDNIGHT, nodes=(JobNode(node="n1"),))  # fed by pdu-2
    )
    elsewhere = stores.jobs.create(Job(name="b", start_ms=START, end_ms=MIDNIGHT, nodes=(JobNode(node="n4"),)))
    for id_ in (job, elsewhere):
        stores.jobs.save_summary(id_, Summary(content={}, computed_at_ms=NOW - 1))
    Truth().write(stores, "pdu-2", 0, 30, 1)  # stored, and the server dies: nobody is told
    assert stores.jobs.outdated(9) == []
    refresh_minutes(stores, "me")
    assert stores.jobs.outdated(9) == [job]


@pytest.mark.parametrize("racks", [(), (Rack(key="r1"),)], ids=["no rack", "a rack without readings"])
def test_without_minutes_of_racks_only_what_is_new_is_computed(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, racks: tuple[Rack, ...]
) -> None:
    """Every minute the whole day was computed again: more memory and time with each minute of the day."""
    stores.facility.upsert([*racks, Device(key="pdu-1")])
    truth, computed = Truth(), list[int]()
    of = RollupWork.of

    def counted(on: Stores, stretch: RollupStretch) -> RollupWork:
        computed.append(stretch.end_ms - stretch.start_ms)
        return of(on, stretch)

    monkeypatch.setattr(RollupWork, "of", counted)
    for minute in range(2):
        computed.clear()
        truth.write(stores, "pdu-1", 6 * (40 + minute), 6, seed=minute)
        refresh_minutes(stores, "me")
    assert max(computed) <= 5 * MINUTE_MS  # what a reading reaches
    assert len(stores.minutes.read(["pdu/pdu-1:power"], START, END)["pdu/pdu-1:power"]) == 2


def test_one_process_at_a_time(stores: Stores) -> None:
    build(stores)
    Truth().write(stores, "pdu-1", 0, 10, 1)
    with writing(stores.engine) as connection:
        assert acquire_task_lock(connection, "minutes", "another", NOW, 1000)
    assert refresh_minutes(stores, "me") == 0
    with writing(stores.engine) as connection:
        assert not acquire_task_lock(connection, "minutes", "me", NOW + 999, 1000)
        assert acquire_task_lock(connection, "minutes", "me", NOW + 1000, 1000)
    assert refresh_minutes(stores, "me") > 0


def test_what_comes_while_it_works_is_computed_next_time(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    build(stores)
    truth = Truth()
    truth.write(stores, "pdu-1", 0, 30, 1)
    whole = MinuteStore.days

    def late(self: MinuteStore, subjects: list[str], day_ms: int) -> dict[str, Minutes]:
        truth.write(stores, "pdu-1", 10, 60, 2)  # after the curves were read, before the minutes are stored
        monkeypatch.setattr(MinuteStore, "days", whole)
        return whole(self, subjects, day_ms)

    monkeypatch.setattr(MinuteStore, "days", late)
    refresh_minutes(stores, "me")
    refresh_minutes(stores, "me")
    check(stores, truth)


def test_minutes_are_dropped_if_another_process_took_over(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    build(stores)
    Truth().write(stores, "pdu-1", 0, 30, 1)
    days = MinuteStore.days

    def overtaken(self: MinuteStore, subjects: list[str], day_ms: int) -> dict[str, Minutes]:
        monkeypatch.setattr(MinuteStore, "days", days)
        with writing(stores.engine) as connection:  # the lock of "me" expired while it computed
            assert acquire_task_lock(connection, "minutes", "another", NOW + 300_000, 300_000)
        return days(self, subjects, day_ms)

    monkeypatch.setattr(MinuteStore, "days", overtaken)
    assert refresh_minutes(stores, "me") == 0
    assert not stores.minutes.known(MIDNIGHT - DAY_MS)
    with reading(stores.engine) as connection:
        assert stale_days(connection) != []
