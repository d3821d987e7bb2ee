"""A long run of frames that arrives at once becomes chunks, and nothing else is different."""

import numpy as np
import pytest
from sqlalchemy import select, text

from app.models import ChunkColumnRow, ChunkRow, RollupBacklogRow, table
from app.store.database.engine import reading
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch, WriteResult
from collectors.contract.frame import Layout, Quantity, Series

DAY = 86_400_000
T0 = 19_998 * DAY  # where a window of 8,640 minutes begins
N = 3000
CHUNK, COLUMN, DIRTY = table(ChunkRow), table(ChunkColumnRow), table(RollupBacklogRow)


def layout(device="meter", width=1):
    return Layout(device, "main", 60_000, tuple(Series(f"channel/{i}", Quantity.POWER) for i in range(width)))


def log(device="meter", n=N, width=1, first=0):
    """A reading every minute, some of them missing."""
    t = T0 + 60_000 * np.arange(first, first + n)
    values = np.round(np.random.default_rng(n).normal(400, 20, (n, width)), 1)
    values[::7] = np.nan
    return FrameBatch(layout(device, width), t, values)


def rows(engine, name):
    with reading(engine) as connection:
        return connection.scalar(text(f"SELECT count(*) FROM {name}"))


def everything(engine, device):
    """What is stored of a device but the numbers it has in the database."""
    with reading(engine) as connection:
        query = text("SELECT id FROM stream WHERE device = :device")
        stream_id = connection.scalar(query, {"device": device})
        found = [
            sorted(tuple(row)[1:] for row in connection.execute(select(one).where(one.c.stream_id == stream_id)))
            for one in (CHUNK, COLUMN, DIRTY)
        ]
    chunks, columns, dirty = found
    return (
        [(start, *rest) for start, _, *rest in chunks],
        [(start, *rest) for start, _, *rest in columns],
        [row[:-1] for row in dirty],  # without the token
    )


def check(frames, batch):
    for column, series in enumerate(batch.layout.series):
        key = f"{batch.layout.device}/{series.point}:power"
        found = frames.read([key], 0, 1 << 50)[key]
        there = ~np.isnan(batch.values[:, column])
        assert found.t_ms.tolist() == batch.t_ms[there].tolist()
        assert found.v.tobytes() == batch.values[there, column].tobytes()


def test_it_is_what_the_sealer_makes_of_single_frames(engine, frames):
    at_once, polled = log("at-once", width=3), log("polled", width=3)
    assert frames.write([at_once]) == [WriteResult(accepted=N)]
    assert rows(engine, "frame") == 0
    for part in np.array_split(np.arange(N), 10):
        frames.write([FrameBatch(polled.layout, polled.t_ms[part], polled.values[part])])
    assert rows(engine, "frame") == N
    assert seal(engine, T0 + 30 * DAY).frames == N
    assert everything(engine, "at-once") == everything(engine, "polled")
    check(frames, at_once)


def test_again_it_is_nothing_new_and_what_differs_is_a_conflict(engine, frames):
    batch = log()
    frames.write([batch])
    before = everything(engine, "meter")
    assert frames.write([batch]) == [WriteResult(duplicates=N)]
    other = batch.values.copy()
    other[1:5] += 1
    assert frames.write([FrameBatch(batch.layout, batch.t_ms, other)]) == [WriteResult(duplicates=N - 4, conflicts=4)]
    assert everything(engine, "meter") == before
    assert rows(engine, "frame") == 0


def test_what_was_missing_is_filled_by_a_later_delivery(engine, frames):
    batch = log()
    frames.write([batch])
    holes = np.isnan(batch.values[:, 0])
    filled = np.where(np.isnan(batch.values), 5.0, batch.values)
    found = frames.write([FrameBatch(batch.layout, batch.t_ms, filled)])
    assert found == [WriteResult(accepted=int(holes.sum()), duplicates=int((~holes).sum()))]
    check(frames, FrameBatch(batch.layout, batch.t_ms, filled))
    seal(engine, T0 + 30 * DAY)
    check(frames, FrameBatch(batch.layout, batch.t_ms, filled))


def test_a_log_in_parts_in_any_order_grows_its_chunks(engine, frames):
    whole = log(n=8000)
    for part in (slice(4000, 6000), slice(0, 1500), slice(6000, 8000), slice(1500, 4000)):
        frames.write([FrameBatch(whole.layout, whole.t_ms[part], whole.values[part])])
    assert rows(engine, "frame") == 0
    check(frames, whole)
    assert frames.latest()["meter"][0].t_ms == whole.t_ms[-1]
    frames.write([log("other", n=8000)])
    chunks, columns, _ = everything(engine, "meter")
    assert (chunks, columns) == everything(engine, "other")[:2]


def test_frames_of_the_same_window_that_wait_are_sealed_with_it_later(engine, frames):
    whole = log(n=2500)
    for part in (slice(0, 10), slice(10, 2500)):
        frames.write([FrameBatch(whole.layout, whole.t_ms[part], whole.values[part])])
    assert rows(engine, "frame") == 10
    check(frames, whole)
    assert seal(engine, T0 + 30 * DAY).frames == 10
    check(frames, whole)
    frames.write([log("other", n=2500)])
    assert everything(engine, "meter") == everything(engine, "other")


@pytest.mark.parametrize(("n", "width"), [(999, 1), (1001, 45)])
def test_short_runs_and_wide_ones_of_a_window_that_is_stored_wait_as_frames(engine, n, width):
    frames = FrameStore(engine)
    frames.write([log(n=1100, width=width)])
    standing = rows(engine, "frame")
    assert frames.write([log(n=n, width=width, first=2000)]) == [WriteResult(accepted=n)]
    assert rows(engine, "frame") == standing + n
