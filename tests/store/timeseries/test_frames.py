import math
import tracemalloc

import numpy as np
import pytest
from sqlalchemy import event

from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch, WriteResult
from collectors.contract.frame import Layout, Quantity, Series

NAN = math.nan
T0 = 1_754_006_400_000  # 2025-08-01T00:00:00Z
ALL = (0, 1 << 50)


def layout(*points, device="pdu", group="main", interval_ms=10_000, **options):
    return Layout(device, group, interval_ms, tuple(Series(p, Quantity.POWER) for p in points), **options)


AB = layout("outlet/1", "outlet/2")


def batch(rows, of=AB):
    """Frames from {seconds after T0: values}."""
    return FrameBatch(of, np.array([T0 + int(s * 1000) for s in rows]), np.array(list(rows.values()), float))


def seen(frames, key="pdu/outlet/1:power", window=ALL):
    """{seconds after T0: value} of a series."""
    samples = frames.read([key], *window)[key]
    return {(t - T0) / 1000: v for t, v in zip(samples.t_ms.tolist(), samples.v.tolist(), strict=True)}


@pytest.fixture(params=["hot", "sealed"])
def settle(request, engine):
    """Leave frames as they are, or seal them."""
    return (lambda: None) if request.param == "hot" else (lambda: seal(engine, T0 + 86_400_000_000))


def test_what_is_written_is_read(frames, settle):
    assert frames.write([batch({0: (1, 2), 10: (3, 4)})]) == [WriteResult(2, 0, 0)]
    settle()
    assert seen(frames) == {0: 1, 10: 3}
    assert seen(frames, "pdu/outlet/2:power") == {0: 2, 10: 4}


def test_writing_again_changes_nothing(frames, settle):
    frames.write([batch({0: (1, 2), 10: (3, 4)})])
    settle()
    assert frames.write([batch({0: (1, 2), 10: (3, 4)})]) == [WriteResult(0, 2, 0)]
    settle()
    assert seen(frames) == {0: 1, 10: 3}


def test_holes_are_filled_and_nothing_is_replaced(frames, settle):
    frames.write([batch({0: (1, NAN), 10: (3, 4)})])
    settle()
    assert frames.write([batch({0: (1, 2), 10: (7, 4)})]) == [WriteResult(1, 0, 1)]
    assert seen(frames) == {0: 1, 10: 3}
    assert seen(frames, "pdu/outlet/2:power") == {0: 2, 10: 4}
    settle()
    assert seen(frames) == {0: 1, 10: 3}
    assert seen(frames, "pdu/outlet/2:power") == {0: 2, 10: 4}
    assert frames.write([batch({0: (1, 2), 10: (7, 4)})]) == [WriteResult(0, 1, 1)]


def test_frames_may_come_in_any_order(frames, settle):
    frames.write([batch({20: (5, 6), 0: (1, 2)})])
    settle()
    frames.write([batch({10: (3, 4)}), batch({-10: (0, 0)})])
    settle()
    assert seen(frames) == {-10: 0, 0: 1, 10: 3, 20: 5}


def test_missing_values_are_no_samples(frames, settle):
    frames.write([batch({0: (1, NAN), 10: (NAN, NAN), 20: (3, math.inf)})])
    settle()
    assert seen(frames) == {0: 1, 20: 3}
    assert seen(frames, "pdu/outlet/2:power") == {}
    assert frames.write([batch({10: (NAN, NAN)})]) == [WriteResult(0, 1, 0)]


def test_an_empty_batch_is_nothing(frames):
    assert frames.write([batch({}) if False else FrameBatch(AB, np.empty(0, int), np.empty((0, 2)))]) == [WriteResult()]
    assert frames.write([]) == []
    assert frames.latest() == {}


def test_values_must_fit_the_layout():
    with pytest.raises(ValueError, match="not 1 frames of 2 series"):
        FrameBatch(AB, np.array([T0]), np.array([[1.0]]))


def test_results_keep_the_order_of_the_batches(frames):
    other = layout("total", device="meter")
    given = [batch({0: (1, 2)}), batch({0: (9,), 1: (9,)}, other), batch({0: (1, 2), 10: (3, 4), 20: (5, 6)})]
    assert frames.write(given) == [WriteResult(1, 0, 0), WriteResult(2, 0, 0), WriteResult(2, 1, 0)]


def test_a_device_whose_points_change_keeps_both_pasts(frames, settle):
    more = layout("outlet/2", "outlet/1", "outlet/3", interval_ms=5_000)
    frames.write([batch({0: (1, 2)})])
    settle()
    frames.write([batch({10: (4, 3, 5)}, more)])
    settle()
    found = frames.read(["pdu/outlet/1:power", "pdu/outlet/3:power"], *ALL)
    one = found["pdu/outlet/1:power"]
    assert one.v.tolist() == [1, 3]
    assert (one.moments.tau_ms.tolist(), one.moments.max_gap_ms.tolist()) == ([10_000, 5_000], [30_000, 15_000])
    assert found["pdu/outlet/3:power"].v.tolist() == [5]


def test_series_of_one_stream_share_their_moments_unless_one_misses_some(frames, settle):
    frames.write([batch({0: (1, 2, 3), 10: (4, NAN, 6)}, layout("outlet/1", "outlet/2", "outlet/3"))])
    settle()
    one, two, three = frames.read([f"pdu/outlet/{i}:power" for i in (1, 2, 3)], *ALL).values()
    assert one.moments is three.moments
    assert (one.t_ms.tolist(), one.v.tolist(), three.v.tolist()) == ([T0, T0 + 10_000], [1, 4], [3, 6])
    assert (two.t_ms.tolist(), two.v.tolist()) == ([T0], [2])


def test_two_layouts_at_one_moment_complete_each_other(frames, settle):
    bc = layout("outlet/2", "outlet/3")
    frames.write([batch({0: (1, 2), 10: (1, 2)})])
    settle()
    assert frames.write([batch({0: (2, 3), 10: (9, 3)}, bc)]) == [WriteResult(1, 0, 1)]
    settle()
    assert [seen(frames, f"pdu/outlet/{i}:power") for i in (1, 2, 3)] == [{0: 1, 10: 1}, {0: 2, 10: 2}, {0: 3, 10: 3}]
    assert frames.write([batch({0: (2, 3)}, bc), batch({0: (1, 2)})]) == [WriteResult(0, 1, 0), WriteResult(0, 1, 0)]


def test_several_rates_of_one_device_are_several_streams(frames, settle):
    probes = Layout("pdu", "probes", 60_000, (Series("probe/1", Quantity.TEMPERATURE),))
    frames.write([batch({0: (1, 2)}), batch({0: (21.5,)}, probes)])
    settle()
    assert seen(frames) == {0: 1}
    assert seen(frames, "pdu/probe/1:temperature") == {0: 21.5}


def test_a_read_brings_one_neighbour_on_either_side(frames, settle):
    frames.write([batch({s: (s, 0) for s in range(-60, 100, 10)})])
    settle()
    inside = seen(frames, window=(T0 + 5_000, T0 + 25_000))
    assert list(inside) == [0, 10, 20, 30]
    assert list(seen(frames, window=(T0, T0 + 20_000))) == [-10, 0, 10, 20]


def test_a_neighbour_further_than_max_gap_does_not_matter(frames, settle):
    frames.write([batch({0: (1, 1), 100: (2, 2), 200: (3, 3)})])
    settle()
    assert seen(frames, window=(T0 + 95_000, T0 + 105_000)) == {100: 2}
    assert seen(frames, window=(T0 + 130_000, T0 + 170_000)) == {100: 2, 200: 3}
    assert seen(frames, window=(T0 + 131_000, T0 + 169_000)) == {}


def test_a_series_no_one_announced_is_empty(frames):
    frames.write([batch({0: (1, 2)})])
    keys = ["pdu/outlet/9:power", "nobody/total:power", "pdu/outlet/1:current", "nonsense"]
    assert [len(found) for found in frames.read(keys, *ALL).values()] == [0, 0, 0, 0]
    assert frames.read([], *ALL) == {}


def test_wide_and_narrow_reads_agree(frames, settle):
    wide = layout(*(f"outlet/{i}" for i in range(40)))
    frames.write([batch({0: range(40), 10: range(100, 140)}, wide)])
    settle()
    every = frames.read([f"pdu/outlet/{i}:power" for i in range(40)], *ALL)
    assert [every[f"pdu/outlet/{i}:power"].v.tolist() for i in range(40)] == [[i, 100 + i] for i in range(40)]
    assert seen(frames, "pdu/outlet/17:power") == {0: 17, 10: 117}


def test_announcing_is_idempotent_and_survives_a_restart(engine, frames):
    first = frames.announce(AB)
    again = FrameStore(engine)
    assert again.announce(layout("outlet/1", "outlet/2")) == first
    assert again.layout(AB.hash) == AB
    assert FrameStore(engine).layout(AB.hash) == AB
    assert frames.layout("unknown") is None


def test_series_are_described_by_the_newest_layout(frames):
    old = Layout("pdu", "main", 10_000, (Series("outlet/1", Quantity.POWER, "old", rated=2400.0),))
    new = Layout("pdu", "main", 5_000, (Series("outlet/1", Quantity.POWER, "new", accuracy_pct=1.0),), meter="rpdu")
    other = layout("total", device="meter")
    frames.write([batch({0: (1,)}, old), batch({0: (1,)}, other)])
    frames.announce(new)
    frames.announce(layout("outlet/2"))
    found = {info.key: info for info in frames.series()}
    assert list(found) == ["meter/total:power", "pdu/outlet/1:power", "pdu/outlet/2:power"]
    assert found["pdu/outlet/1:power"].label == "old"  # nothing has come with the new one yet
    frames.write([batch({10: (1,)}, new)])
    info = frames.series("pdu")[0]
    assert (info.label, info.interval_ms, info.accuracy_pct, info.rated, info.meter, info.unit) == (
        "new", 5_000, 1.0, None, "rpdu", "W",
    )  # fmt: skip


def test_latest_is_the_newest_frame_of_each_stream(engine):
    clock = iter([100, 200, 300, 400, 500])
    later = T0 + 20_000
    frames = FrameStore(engine, lambda: later + next(clock))
    probes = layout("probe/1", group="probes")
    frames.write([batch({10: (3, NAN)}), batch({0: (7,)}, probes)])
    frames.write([batch({0: (1, 2)})])  # older: the newest stays
    first = frames.latest(["pdu"])["pdu"]
    latest = [(f.layout.group, f.t_ms - T0, f.stored_ms - later) for f in first]
    assert latest == [("main", 10_000, 100), ("probes", 0, 200)]
    np.testing.assert_array_equal(first[0].values, [3, NAN])
    frames.write([batch({10: (3, 4)})])  # fills
    assert frames.latest()["pdu"][0].values.tolist() == [3, 4]
    assert frames.latest(["other"]) == {}


def test_a_duplicate_does_not_touch_the_newest_frame(engine):
    clock = iter([100, 200])
    frames = FrameStore(engine, lambda: next(clock))
    frames.write([batch({0: (1, 2)})])
    frames.write([batch({0: (1, 2)})])
    assert frames.latest()["pdu"][0].stored_ms == 100


def test_span_covers_frames_and_chunks(engine, frames):
    assert frames.span("pdu") is None
    frames.write([batch({0: (1, 2), 90_000: (3, 4)})])
    seal(engine, T0 + 86_400_000)
    assert frames.span("pdu") == (T0, T0 + 90_000_000)


def test_the_first_moment_of_each_device_is_of_frames_and_chunks(engine, frames):
    assert frames.first_ms(["pdu", "other"]) == {}
    frames.write([batch({0: (1, 2), 90_000: (3, 4)})])
    seal(engine, T0 + 86_400_000)
    frames.write([batch({100_000: (7,)}, layout("probe/1", group="probes"))])
    assert frames.first_ms(["pdu", "other"]) == {"pdu": T0}


def test_batches_of_one_write_meet_each_other(frames, settle):
    frames.write([batch({0: (1, 2)})])
    settle()
    wider = layout("outlet/2", "outlet/3")
    given = [
        batch({10: (3, NAN)}),
        batch({20: (5, 6)}),
        batch({10: (8, 4), 0: (1, 2)}),
        batch({20: (6, 7), 30: (9, 9)}, wider),
        batch({5: (0, 0)}),
        batch({40: (1, 1), 30: (2, 2)}),
    ]
    assert frames.write(given) == [
        WriteResult(1, 0, 0),
        WriteResult(1, 0, 0),
        WriteResult(0, 1, 1),
        WriteResult(2, 0, 0),
        WriteResult(1, 0, 0),
        WriteResult(1, 0, 1),
    ]
    assert seen(frames) == {0: 1, 5: 0, 10: 3, 20: 5, 30: 2, 40: 1}
    assert seen(frames, "pdu/outlet/2:power") == {0: 2, 5: 0, 10: 4, 20: 6, 30: 9, 40: 1}
    assert seen(frames, "pdu/outlet/3:power") == {20: 7, 30: 9}
    assert frames.latest()["pdu"][0].t_ms == T0 + 40_000


def test_the_statements_of_a_write_do_not_grow_with_its_streams(sqlite_engine):
    """A collector delivers one frame each of many devices."""
    frames = FrameStore(sqlite_engine)
    layouts = [layout("outlet/1", "outlet/2", device=f"pdu-{n}") for n in range(40)]
    frames.write([batch({0: (1, 2)}, each) for each in layouts])
    asked = []
    event.listen(sqlite_engine, "before_cursor_execute", lambda *call: asked.append(call[2]))
    assert frames.write([batch({10: (3, 4)}, each) for each in layouts]) == [WriteResult(1, 0, 0)] * 40
    assert len(asked) <= 6


def test_a_long_read_of_many_devices_makes_no_object_for_each_frame(frames):
    """A frame of one value is 16 bytes, and arrays are copied a few times: objects for each would take over 150."""
    of = [layout("inlet", device=f"pdu-{i}", interval_ms=1000) for i in range(20)]
    for some in np.split(T0 + 1000 * np.arange(2000), 100):
        frames.write([FrameBatch(each, some, np.ones((len(some), 1))) for each in of])
    keys = [f"{each.device}/inlet:power" for each in of]
    tracemalloc.start()
    found = frames.read(keys, *ALL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(len(found[key].t_ms) for key in keys) == 40_000
    assert peak < 80 * 40_000
