"""Reads of a database of which one machine does not respond: what the others hold is read, the rest is named."""

import numpy as np
import pytest
from sqlalchemy.exc import OperationalError

from app.domain.rollups import Minutes
from app.store.database import GONE, PartialReads, fault, writing
from app.store.rollups import MinuteStore, PartialMinuteStore, packed, save
from app.store.timeseries import FrameBatch, FrameStore, PartialFrameStore, seal_windows
from collectors.contract import DAY_MS, Layout, Quantity, Series
from tests.store.two_machines import two_machines

T0 = 1_754_006_400_000  # 2025-08-01T00:00:00Z
LAST = T0 + 90_000
KEYS = [f"pdu-{x}/inlet:power" for x in "abc"]


@pytest.fixture(scope="module")
def machines(postgres_url):
    """pdu-a and pdu-c here, pdu-b there; of each a sealed window and ten newer frames, 10 s apart; 100, 200, 300 W."""
    with two_machines(postgres_url) as found:
        frames = FrameStore(found.engine)
        for x, watts in zip("abc", (100.0, 200.0, 300.0), strict=True):
            layout = Layout(f"pdu-{x}", "main", 10_000, (Series("inlet", Quantity.POWER),))
            for begin in (T0 - DAY_MS, T0):
                t_ms = begin + 10_000 * np.arange(10)
                frames.write([FrameBatch(layout, t_ms, np.full((10, 1), watts))])
        assert [one.frames for one in seal_windows(found.engine, T0)] == [10, 10, 10]  # of the day before
        with writing(found.engine) as connection:
            save(connection, T0, {f"rack/{x}:power": packed(day(w)) for x, w in (("r1", 100.0), ("r2", 200.0))})
        found.distribute(["pdu-b"], ["rack/r2:power"])
        yield found


def day(watts):
    """A day of steady power."""
    minutes = Minutes.blank(T0, T0 + DAY_MS)
    minutes.integral[:], minutes.covered_ms[:] = 60 * watts, 60_000
    minutes.low[:], minutes.high[:] = watts, watts
    return minutes


def test_whole_reads_need_every_machine(machines):
    frames = FrameStore(machines.engine)
    assert frames.is_spread
    with machines.down():
        with pytest.raises(OperationalError) as refused:
            frames.read(KEYS, T0, LAST)
        assert fault(refused.value) is GONE
        with pytest.raises(OperationalError):
            frames.latest()
        with pytest.raises(OperationalError):
            MinuteStore(machines.engine).read(["rack/r1:power", "rack/r2:power"], T0, T0 + DAY_MS)
        only = frames.read(KEYS[:1], T0 - DAY_MS, LAST)  # names one stream: the other machine is not asked
        assert only[KEYS[0]].v.tolist() == [100.0] * 20
    assert [len(one) for one in frames.read(KEYS, T0 - DAY_MS, LAST).values()] == [20, 20, 20]


def test_what_one_machine_holds_is_left_out_and_named(machines):
    with machines.down():
        reads = PartialReads(machines.engine)
        frames = PartialFrameStore(FrameStore(machines.engine), reads)
        found = frames.read(KEYS, T0 - DAY_MS, LAST)
        assert {key: one.v.tolist() for key, one in found.items()} == {
            KEYS[0]: [100.0] * 20, KEYS[1]: [], KEYS[2]: [300.0] * 20,
        }  # fmt: skip
        assert reads.unread.devices == {"pdu-b"}
        assert [info.key for info in frames.series()] == KEYS  # what there is stays known
        latest = {device: [(f.t_ms, f.is_read) for f in each] for device, each in frames.latest().items()}
        assert latest == {"pdu-a": [(LAST, True)], "pdu-b": [(0, False)], "pdu-c": [(LAST, True)]}
        assert np.isnan(frames.latest(["pdu-b"])["pdu-b"][0].values).all()
        assert frames.first_ms(["pdu-a", "pdu-b"]) == {"pdu-a": T0 - DAY_MS}
        assert frames.span("pdu-b") is None
        assert frames.span(["pdu-b", "pdu-c"]) == (T0 - DAY_MS, LAST)
        assert frames.delivered(["pdu-a", "pdu-b"], T0, LAST + 1, 60_000) == {
            "pdu-a": [(T0, T0 + 60_000), (T0 + 60_000, T0 + 120_000)]
        }
    assert FrameStore(machines.engine).first_ms(["pdu-b"]) == {"pdu-b": T0 - DAY_MS}


def test_minutes_of_one_machine_are_left_out_and_named(machines):
    subjects = ["rack/r1:power", "rack/r2:power"]
    with machines.down():
        reads = PartialReads(machines.engine)
        minutes = PartialMinuteStore(MinuteStore(machines.engine), reads)
        found = minutes.read(subjects, T0, T0 + DAY_MS)
        assert [len(found[subject]) for subject in subjects] == [1440, 0]
        matrix = minutes.matrix(subjects, T0, T0 + 120_000)
        assert matrix.integral.tolist() == [[6000.0, 6000.0], [0.0, 0.0]]
        assert matrix.is_stored.tolist() == [True, False]
        assert (minutes.are_known(subjects[:1], T0), minutes.are_known(subjects, T0)) == (True, False)
        assert reads.unread.subjects == {"rack/r2:power"}
        with pytest.raises(OperationalError):  # what is computed on fails as before
            minutes.energies(subjects, T0)
    assert MinuteStore(machines.engine).are_known(subjects, T0)


def test_a_machine_that_does_not_respond_is_asked_once_a_request(machines):
    asked = []
    with machines.down():
        reads = PartialReads(machines.engine)
        frames = PartialFrameStore(FrameStore(machines.engine), reads)

        def count(streams):
            asked.append(len(streams))
            return frames._newest_layouts(streams)

        frames._each(None, count)
        frames._each(None, count)
    assert sorted(asked) == [1, 2, 2]


def test_another_fault_is_no_partial_answer(machines):
    def refuse(_streams):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        PartialReads(machines.engine).each("frame", [1], refuse)
