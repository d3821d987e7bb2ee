"""Writers, sealers and readers at once: every acknowledged sample is there once, all the time."""

import threading

import numpy as np

from app.store.database.engine import reading, writing
from app.store.devices import LeaseStore, Renewal
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from app.store.timeseries.rollup_backlog import clear, stale_days, stale_ranges
from collectors.contract.frame import Layout, Quantity, Series

T0 = 1_754_006_400_000
POINTS = ("a", "b", "c")
LAYOUTS = (
    Layout("pdu", "main", 1_000, (Series("a", Quantity.POWER), Series("b", Quantity.POWER))),
    Layout("pdu", "main", 1_000, (Series("b", Quantity.POWER), Series("c", Quantity.POWER))),
)
BATCHES, FRAMES = 30, 40


def value(point, t_ms):
    return float((t_ms - T0) // 1000 * 10 + POINTS.index(point))


class Run:
    """Threads that stop at the first failure."""

    def __init__(self):
        self.failures = []
        self.acknowledged = {point: set() for point in POINTS}
        self.lock = threading.Lock()
        self.written = threading.Event()

    def start(self, work):
        def guarded():
            try:
                work()
            except BaseException as error:
                self.failures.append(error)
                self.written.set()

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        return thread

    def acknowledge(self, layout, t_ms, values):
        with self.lock:
            for series, column in zip(layout.series, values.T, strict=True):
                self.acknowledged[series.point].update(t_ms[~np.isnan(column)].tolist())

    def known(self):
        with self.lock:
            return {point: frozenset(found) for point, found in self.acknowledged.items()}


def check(frames, before):
    found = frames.read([f"pdu/{point}:power" for point in POINTS], T0, 1 << 50)
    for point in POINTS:
        samples = found[f"pdu/{point}:power"]
        times = samples.t_ms.tolist()
        assert len(times) == len(set(times)), f"{point} has samples twice"
        assert samples.v.tolist() == [value(point, t) for t in times]
        assert before[point] <= set(times), f"{point} lost {len(before[point] - set(times))} samples"


def write(run, engine, layout, seed):
    """Batches in random order, overlapping those of the other writers."""
    frames, rng = FrameStore(engine), np.random.default_rng(seed)
    for first in rng.permutation(BATCHES) * (FRAMES // 2):
        if run.failures:
            return
        t = T0 + 1000 * rng.permutation(np.arange(first, first + FRAMES))
        values = np.array([[value(series.point, t_ms) for series in layout.series] for t_ms in t.tolist()])
        values[rng.random(values.shape) < 0.4] = np.nan  # the overlap fills some of them
        [result] = frames.write([FrameBatch(layout, t, values)])
        assert result.conflicts == 0
        assert result.accepted + result.duplicates == FRAMES
        run.acknowledge(layout, t, values)


def repeat(run, work):
    while not run.written.is_set():
        work()


def test_every_sample_is_seen_once_while_writers_sealers_and_readers_run(engine):
    run, frames = Run(), FrameStore(engine)
    writers = [
        run.start(lambda layout=layout, seed=seed: write(run, engine, layout, seed))
        for seed, layout in enumerate([*LAYOUTS, LAYOUTS[0]])
    ]
    others = [run.start(lambda: repeat(run, lambda: seal(engine, 1 << 50, window_frames=32))) for _ in range(2)]
    others += [run.start(lambda: repeat(run, lambda: check(frames, run.known()))) for _ in range(2)]
    for thread in writers:
        thread.join(60)
    run.written.set()
    for thread in others:
        thread.join(60)
    assert run.failures == []
    assert not any(thread.is_alive() for thread in [*writers, *others])
    seal(engine, 1 << 50, window_frames=32)
    check(FrameStore(engine), run.known())
    assert FrameStore(engine).span("pdu") == (T0, T0 + 1000 * (FRAMES // 2 * (BATCHES + 1) - 1))


def test_writers_that_announce_the_same_layouts_at_once_agree(engine):
    ids, barrier, run = [], threading.Barrier(4), Run()

    def announce():
        frames = FrameStore(engine)
        barrier.wait(30)
        ids.append([frames.announce(layout) for layout in LAYOUTS])

    for thread in [run.start(announce) for _ in range(4)]:
        thread.join(60)
    assert run.failures == []
    assert len(ids) == 4
    assert all(found == ids[0] for found in ids)


def test_streams_written_in_any_order_do_not_block_each_other(engine):
    """Nor does what brings their minutes up to date."""
    run = Run()
    layouts = [Layout(f"pdu-{i}", "main", 1_000, LAYOUTS[0].series) for i in range(6)]

    def work(seed):
        frames, rng = FrameStore(engine), np.random.default_rng(seed)
        for t in range(10):
            order = [layouts[i] for i in rng.permutation(6)]
            frames.write([FrameBatch(layout, np.array([T0 + t]), np.array([[1.0, 2.0]])) for layout in order])

    def settle():
        with reading(engine) as connection:
            done = [mark for day_ms in stale_days(connection) for mark in stale_ranges(connection, day_ms)]
        with writing(engine) as connection:
            clear(connection, done)

    writers = [run.start(lambda seed=seed: work(seed)) for seed in range(3)]
    others = [run.start(lambda: repeat(run, settle)), run.start(lambda: repeat(run, lambda: seal(engine, 1 << 50, 5)))]
    for thread in writers:
        thread.join(60)
    run.written.set()
    for thread in others:
        thread.join(60)
    assert run.failures == []
    found = FrameStore(engine).read([f"pdu-{i}/a:power" for i in range(6)], T0, T0 + 1000)
    assert [samples.t_ms.tolist() for samples in found.values()] == [list(range(T0, T0 + 10))] * 6


def test_a_device_is_leased_to_one_of_many(engine):
    granted, run, barrier = {}, Run(), threading.Barrier(4)

    def take(name):
        barrier.wait(30)
        found = LeaseStore(engine).renew(Renewal(name, 1000), {"pdu-1": 100.0, "pdu-2": 1.0}, {}, 0)
        granted[name] = [one.device for one in found]

    for thread in [run.start(lambda name=name: take(name)) for name in "abcd"]:
        thread.join(60)
    assert run.failures == []
    assert sorted(device for devices in granted.values() for device in devices) in (
        ["pdu-1", "pdu-2"],  # the first gets both; within one device of the mean they stay
        ["pdu-1", "pdu-2", "pdu-2"],  # one of them begins to pass on
    )


def test_a_reader_does_not_hold_up_a_writer(engine):
    frames = FrameStore(engine)
    frames.announce(LAYOUTS[0])
    with reading(engine) as connection:
        connection.exec_driver_sql("SELECT count(*) FROM frame")
        frames.write([FrameBatch(LAYOUTS[0], np.array([T0]), np.array([[1.0, 2.0]]))])
        with writing(engine) as other:
            other.exec_driver_sql("DELETE FROM lease")
    assert frames.span("pdu") == (T0, T0)
