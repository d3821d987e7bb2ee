"""Any sequence of writes, sealing, retention, restarts and crashes equals a dictionary."""

import itertools
import math
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import and_, event, select, text

from app.models import ChunkColumnRow, ChunkRow, FrameRow, table
from app.store.database.engine import open_engine, reading
from app.store.rollups.retention import retire_samples
from app.store.timeseries import chunk_builder as windows
from app.store.timeseries import frame_writer as intake
from app.store.timeseries.codec import decode_times, decode_values, window_ms
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch, WriteResult
from collectors.contract.frame import Layout, Quantity, Series

SETS = (("a", "b"), ("b", "c"), ("c", "b", "a"))
POINTS = "abc"
VALUES = st.sampled_from([math.nan, 1.0, 2.0, -0.0])
# Seconds since 1970: a time before it is refused when it arrives.
FRAMES = st.lists(st.tuples(st.integers(25, 70), VALUES, VALUES, VALUES), max_size=8)
WHICH = st.integers(0, len(SETS) - 1)
CHUNK, COLUMN, FRAME = table(ChunkRow), table(ChunkColumnRow), table(FrameRow)
SAME = [COLUMN.c[name] == CHUNK.c[name] for name in ("stream_id", "start_ms", "layout_id")]
numbers = itertools.count()


class PowerCut(BaseException):
    """Nothing after this statement was done."""


@contextmanager
def power_cut(engine, at, images):
    """The statement of this number is not begun. Of SQLite the disk as it is then is kept: images gets a copy of it."""
    left = itertools.count(at, -1)

    def cut(*_):
        if next(left) == 0:
            if engine.dialect.name == "sqlite":
                images.append(copied(engine))
            raise PowerCut

    event.listen(engine, "before_cursor_execute", cut)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", cut)


def copied(engine):
    """The database file and its journal, in the middle of a transaction."""
    path = Path(str(engine.url.database))
    folder = Path(tempfile.mkdtemp(dir=path.parent))
    for name in (path.name, f"{path.name}-wal"):
        if path.with_name(name).exists():
            shutil.copy(path.with_name(name), folder / name)
    return folder / path.name


def run(first, n, seed):
    """Rows of moments one after the other."""
    values = np.random.default_rng(seed).choice([math.nan, 1.0, 2.0, -0.0], (n, 3)).tolist()
    return [(first + i, *row) for i, row in enumerate(values)]


def machine(engine):
    class Table(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.device = f"pdu-{next(numbers)}"  # every example has a stream of its own
            self.layouts = [
                Layout(self.device, "main", 1000 * (1 + i), tuple(Series(p, Quantity.POWER) for p in points))
                for i, points in enumerate(SETS)
            ]
            self.frames = FrameStore(engine)
            self.moments = {}  # time → hashes of the layouts that have a row of it
            self.values = {}  # (point, time) → value
            self.newest = None

        @rule(which=WHICH, rows=FRAMES)
        def write(self, which, rows):
            batch = self.batch(which, rows)
            assert self.frames.write([batch]) == [self.expected(batch)]

        @rule(which=WHICH, first=st.integers(0, 90), n=st.integers(3, 20), seed=st.integers(0, 99))
        def write_run(self, which, first, n, seed):
            """A log: later than all that stands, between or before it, or across it."""
            batch = self.batch(which, run(first, n, seed))
            assert self.frames.write([batch]) == [self.expected(batch)]

        def batch(self, which, rows):
            layout = self.layouts[which]
            t = np.array([1000 * row[0] for row in rows], np.int64)
            width = len(layout.series)
            values = np.array([row[1 : 1 + width] for row in rows], float).reshape(len(rows), width)
            return FrameBatch(layout, t, values)

        def expected(self, batch):
            fates = [0, 0, 0]
            for t_ms, row in zip(batch.t_ms.tolist(), batch.values.tolist(), strict=True):
                fates[self.expect(batch.layout, t_ms, row)] += 1
            return WriteResult(*fates)

        def expect(self, layout, t_ms, row):
            """0 accepted, 1 duplicate, 2 conflict."""
            fates = {1 if t_ms in self.moments else 0}
            for series, v in zip(layout.series, row, strict=True):
                if math.isnan(v):
                    continue
                stood = self.values.get((series.point, t_ms))
                if stood is None:
                    self.values[series.point, t_ms] = v
                    fates.add(0)
                elif stood != v:
                    fates.add(2)
            if 0 in fates:
                self.moments.setdefault(t_ms, set()).add(layout.hash)
                self.newest = t_ms if self.newest is None else max(self.newest, t_ms)
            return 2 if 2 in fates else 0 if 0 in fates else 1

        @rule(before=st.integers(25, 75), window_frames=st.sampled_from([3, 7]))
        def seal(self, before, window_frames):
            seal(engine, 1000 * before, window_frames)

        @rule(before=st.integers(25, 90))
        def retire(self, before):
            """Windows whose last moment is before go whole; nothing else does."""
            layouts = {self.frames.announce(layout): layout for layout in self.layouts}
            with reading(engine) as connection:
                hot = connection.execute(select(FRAME.c.layout_id, FRAME.c.t_ms).where(FRAME.c.layout_id.in_(layouts)))
                hot = {(layouts[id_].hash, t_ms) for id_, t_ms in hot}
                old = select(CHUNK.c.layout_id, CHUNK.c.times, COLUMN.c.column_index, COLUMN.c.payload).join(
                    COLUMN, and_(*SAME)
                )
                old = old.where(CHUNK.c.layout_id.in_(layouts), CHUNK.c.last_ms < 1000 * before)
                columns = connection.execute(old).all()
            for layout_id, times, column, payload in columns:
                layout = layouts[layout_id]
                for t_ms, v in zip(decode_times(times).tolist(), decode_values(payload).tolist(), strict=True):
                    if not math.isnan(v):
                        del self.values[layout.series[column].point, t_ms]
                    if (layout.hash, t_ms) not in hot and t_ms in self.moments:
                        self.moments[t_ms].discard(layout.hash)
                        if not self.moments[t_ms]:
                            del self.moments[t_ms]
            retire_samples(engine, frozenset({Quantity.POWER}), 1000 * before)

        @rule()
        def restart(self):
            engine.dispose()
            self.frames = FrameStore(engine)

        @rule(which=WHICH, rows=FRAMES, at=st.integers(0, 12))
        def crash_writing(self, which, rows, at):
            batch = self.batch(which, rows)
            self.frames.announce(batch.layout)
            if not self.crashed(at, lambda: self.frames.write([batch])):
                self.expected(batch)

        @rule(which=WHICH, first=st.integers(0, 60), seed=st.integers(0, 99), at=st.integers(0, 12))
        def crash_writing_a_run(self, which, first, seed, at):
            batch = self.batch(which, run(first, 12, seed))
            self.frames.announce(batch.layout)
            if not self.crashed(at, lambda: self.frames.write([batch])):
                self.expected(batch)

        @rule(before=st.integers(25, 75), at=st.integers(0, 25))
        def crash_sealing(self, before, at):
            self.crashed(at, lambda: seal(engine, 1000 * before, 7))

        def crashed(self, at, work):
            """Do it until the power is cut; whether it was. What is on the disk then holds what it held before."""
            images, cut = [], False
            try:
                with power_cut(engine, at, images):
                    work()
            except PowerCut:
                cut = True
                self.restart()
            for path in images:
                image = open_engine(f"sqlite:///{path}")
                with reading(image) as connection:
                    assert connection.execute(text("PRAGMA integrity_check")).all() == [("ok",)]
                self.compare(FrameStore(image))
                image.dispose()
                shutil.rmtree(path.parent)
            return cut

        @invariant()
        def equals_the_dictionary(self):
            self.compare(self.frames)

        def compare(self, frames):
            found = frames.read([f"{self.device}/{p}:power" for p in POINTS], -1 << 40, 1 << 40)
            for point in POINTS:
                samples = found[f"{self.device}/{point}:power"]
                expected = sorted((t, v) for (p, t), v in self.values.items() if p == point)
                assert list(zip(samples.t_ms.tolist(), samples.v.tolist(), strict=True)) == expected

        @invariant()
        def knows_its_newest_moment(self):
            newest = self.frames.latest([self.device]).get(self.device)
            assert (newest[0].t_ms if newest else None) == self.newest
            span = self.frames.span(self.device)
            assert span == ((min(self.moments), max(self.moments)) if self.moments else None)

    return Table


def test_the_table_equals_a_dictionary(engine, monkeypatch):
    monkeypatch.setattr(intake, "RUN_FRAMES", 3)  # runs of three frames become chunks at once, of windows of seven
    monkeypatch.setattr(windows, "RUN_FRAMES", 3)
    monkeypatch.setattr(windows, "window_ms", lambda interval_ms, width: window_ms(interval_ms, width, 7))
    examples = 40 if engine.dialect.name == "sqlite" else 15
    run_state_machine_as_test(
        lambda: machine(engine)(),
        settings=settings(
            max_examples=examples, stateful_step_count=12, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
