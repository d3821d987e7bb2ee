import itertools

import numpy as np
import pytest
from sqlalchemy import event, select, text

from app.domain.energy.energy import energy_j
from app.domain.timeseries.curve import coverage, from_samples
from app.models import ChunkColumnRow, ChunkRow, table
from app.store.database.engine import reading
from app.store.timeseries import compaction as chunks
from app.store.timeseries.compaction import SealReport, seal, seal_windows
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch, WriteResult
from collectors.contract.frame import Layout, Quantity, Series

NAN = float("nan")
DAY = 86_400_000
T0 = 20_000 * DAY  # a midnight
LAYOUT = Layout("pdu", "main", 10_000, (Series("outlet/1", Quantity.POWER), Series("outlet/2", Quantity.POWER)))


def write(frames, rows):
    t = np.array([T0 + s * 1000 for s in rows])
    return frames.write([FrameBatch(LAYOUT, t, np.array(list(rows.values()), float))])[0]


def read(frames, point="outlet/1"):
    samples = frames.read([f"pdu/{point}:power"], 0, 1 << 50)[f"pdu/{point}:power"]
    return list(zip(((samples.t_ms - T0) // 1000).tolist(), samples.v.tolist(), strict=True))


def rows(engine, name):
    with reading(engine) as connection:
        return connection.scalar(text(f"SELECT count(*) FROM {name}"))


def test_only_windows_that_are_over_are_sealed(engine, frames):
    write(frames, {0: (1, 2), 86_390: (3, 4), 86_400: (5, 6)})
    assert seal(engine, T0 + DAY - 1) == SealReport()
    report = seal(engine, T0 + DAY)
    assert (report.chunks, report.frames, report.values) == (1, 2, 4)
    assert (rows(engine, "frame"), rows(engine, "chunk"), rows(engine, "chunk_column")) == (1, 1, 2)
    assert read(frames) == [(0, 1), (86_390, 3), (86_400, 5)]


def test_chunks_lie_on_aligned_windows_and_carry_their_figures(engine, frames):
    # outlet/1: 100→200 W over 10 s = 1500 J; outlet/2 misses the middle: 10 W, then 30 W 20 s later = 400 J
    write(frames, {10: (100, 10), 20: (200, NAN), 30: (200, 30)})
    seal(engine, T0 + DAY)
    with reading(engine) as connection:
        chunk = connection.execute(select(table(ChunkRow))).one()
        one, two = connection.execute(
            select(table(ChunkColumnRow)).order_by(table(ChunkColumnRow).c.column_index)
        ).all()
    assert (chunk.start_ms, chunk.count, chunk.first_ms, chunk.last_ms) == (T0, 3, T0 + 10_000, T0 + 30_000)
    assert (one.count, one.min_v, one.max_v, one.integral, one.covered_ms) == (3, 100, 200, 3500, 20_000)
    assert (two.count, two.first_v, two.last_v, two.integral, two.covered_ms) == (2, 10, 30, 400, 20_000)


def test_late_frames_join_the_chunk_of_their_window(engine, frames):
    write(frames, {0: (1, NAN), 20: (3, 4)})
    seal(engine, T0 + DAY)
    assert write(frames, {10: (2, 2), 0: (1, 9)}) == WriteResult(2, 0, 0)
    assert read(frames) == [(0, 1), (10, 2), (20, 3)]
    report = seal(engine, T0 + DAY)
    assert (report.chunks, report.frames, report.values) == (1, 2, 6)
    assert (rows(engine, "frame"), rows(engine, "chunk")) == (0, 1)
    assert read(frames) == [(0, 1), (10, 2), (20, 3)]
    assert read(frames, "outlet/2") == [(0, 9), (10, 2), (20, 4)]
    assert write(frames, {0: (1, 9), 10: (2, 2), 20: (3, 5)}) == WriteResult(0, 2, 1)


def test_sealing_again_changes_nothing(engine, frames):
    write(frames, {0: (1, 2)})
    seal(engine, T0 + DAY)
    assert seal(engine, T0 + DAY) == SealReport()
    assert read(frames) == [(0, 1)]


def test_a_frame_without_values_is_sealed_as_a_moment(engine, frames):
    write(frames, {0: (NAN, NAN)})
    seal(engine, T0 + DAY)
    assert (rows(engine, "chunk"), rows(engine, "chunk_column")) == (1, 0)
    assert write(frames, {0: (NAN, NAN)}) == WriteResult(0, 1, 0)
    assert write(frames, {0: (5, NAN)}) == WriteResult(1, 0, 0)
    seal(engine, T0 + DAY)
    assert read(frames) == [(0, 5)]


def test_times_before_the_epoch_are_sealed_in_their_window(engine, frames):
    t = np.array([-5_000, 5_000])
    frames.write([FrameBatch(LAYOUT, t, np.array([[1.0, 2.0], [3.0, 4.0]]))])
    assert seal(engine, DAY).chunks == 2
    assert frames.read(["pdu/outlet/1:power"], -DAY, DAY)["pdu/outlet/1:power"].t_ms.tolist() == [-5_000, 5_000]


def test_sealing_may_stop_between_windows(engine, frames):
    write(frames, {0: (1, 2), 86_400: (3, 4), 172_800: (5, 6)})
    rounds = seal_windows(engine, T0 + 3 * DAY)
    assert next(rounds).frames == 1
    rounds.close()
    assert (rows(engine, "frame"), rows(engine, "chunk")) == (2, 1)
    assert read(frames) == [(0, 1), (86_400, 3), (172_800, 5)]


@pytest.mark.parametrize("late", [{10: (2, 2)}, {0: (NAN, 7)}])
def test_what_arrives_while_a_window_is_compressed_is_sealed_with_it(engine, frames, monkeypatch, late):
    """The frame is acknowledged between reading and deleting the window."""
    write(frames, {0: (1, NAN), 20: (3, 3)})
    compress = chunks._compress
    arrivals = iter([late])

    def slow(material, layout):
        for arrival in arrivals:
            assert write(frames, arrival).accepted == 1
        return compress(material, layout)

    monkeypatch.setattr(chunks, "_compress", slow)
    seal(engine, T0 + DAY)
    assert rows(engine, "frame") == 0
    assert read(frames) == sorted({0: 1, 20: 3}.items() | ({(10, 2)} if 10 in late else set()))
    assert (0, 7) in read(frames, "outlet/2") or 10 in late


def test_two_sealers_of_one_window_make_one_chunk(engine, frames, monkeypatch):
    write(frames, {0: (1, 2), 10: (3, 4)})
    compress = chunks._compress
    other = iter([engine])

    def slow(material, layout):
        for same in other:
            assert seal(same, T0 + DAY).frames == 2
        return compress(material, layout)

    monkeypatch.setattr(chunks, "_compress", slow)
    assert seal(engine, T0 + DAY) == SealReport()
    assert rows(engine, "chunk") == 1
    assert read(frames) == [(0, 1), (10, 3)]


def test_a_sealer_that_fails_leaves_the_frames(engine, frames, monkeypatch):
    def fail(connection, window, chunk):
        raise OSError("disk full")

    write(frames, {0: (1, 2)})
    monkeypatch.setattr(chunks, "save", fail)
    with pytest.raises(OSError, match="disk full"):
        seal(engine, T0 + DAY)
    assert (rows(engine, "frame"), rows(engine, "chunk")) == (1, 0)
    assert read(frames) == [(0, 1)]


def as_polled(frames, t, v):
    """Few frames at a time, which wait to be sealed; a long run would become chunks at once."""
    for some in np.array_split(np.arange(len(t)), 5):
        frames.write([FrameBatch(LAYOUT, t[some], v[some])])


def test_a_long_range_is_read_from_many_chunks(engine):
    frames = FrameStore(engine)
    rng = np.random.default_rng(1)
    t = T0 + 10_000 * np.arange(3000) + rng.integers(-3, 4, 3000)
    v = np.round(rng.normal(400, 20, (3000, 2)), 1)
    v[rng.random((3000, 2)) < 0.1] = NAN
    as_polled(frames, t, v)
    assert seal(engine, T0 + DAY, window_frames=100).chunks == 30
    for column, point in enumerate(("outlet/1", "outlet/2")):
        samples = frames.read([f"pdu/{point}:power"], 0, 1 << 50)[f"pdu/{point}:power"]
        there = ~np.isnan(v[:, column])
        assert samples.t_ms.tolist() == t[there].tolist()
        assert samples.v.tobytes() == v[there, column].tobytes()


def test_figures_of_chunks_and_the_bridges_between_them_are_the_integral_of_the_whole(engine, frames):
    rng = np.random.default_rng(2)
    t = T0 + np.cumsum(rng.choice([1_000, 10_000, 29_999, 30_001, 120_000], 2000))
    v = np.round(rng.normal(400, 20, (2000, 2)), 1)
    v[rng.random((2000, 2)) < 0.1] = NAN
    as_polled(frames, t, v)
    assert seal(engine, 1 << 50, window_frames=100).chunks > 30
    columns = table(ChunkColumnRow).c
    with reading(engine) as connection:
        found = connection.execute(
            select(table(ChunkColumnRow)).where(columns.column_index == 0).order_by(columns.start_ms)
        ).all()
    energy, covered = sum(c.integral for c in found), sum(c.covered_ms for c in found)
    for one, next_ in itertools.pairwise(found):
        step = next_.first_t_ms - one.last_t_ms
        linked = step <= 30_000
        energy += ((one.last_v + next_.first_v) / 2 * step if linked else one.last_v * 10_000) / 1000
        covered += step if linked else 10_000
    whole = from_samples(t, v[:, 0], 10_000, 30_000)
    first, last = found[0].first_t_ms, found[-1].last_t_ms
    assert energy == pytest.approx(energy_j(whole, first, last), rel=1e-12)
    assert covered == round(coverage(whole, first, last) * (last - first))


def test_a_read_is_one_transaction(engine, frames):
    write(frames, {0: (1, 2)})
    begun = []
    event.listen(engine, "begin", begun.append)
    frames.read(["pdu/outlet/1:power", "pdu/outlet/2:power"], 0, 1 << 50)
    assert len(begun) == 1
