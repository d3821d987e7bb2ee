import math
import os

import pytest

from collectors.contract.frame import Frame, Layout, Quantity, Series
from collectors.delivery.outbox import Outbox
from collectors.delivery.server_clock import ClockState
from collectors.errors import OutboxError

LAYOUT = Layout("pdu-1", "main", 10_000, (Series("inlet", Quantity.POWER), Series("inlet", Quantity.CURRENT)))
OTHER = Layout("pdu-2", "main", 10_000, (Series("inlet", Quantity.POWER),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "outbox.sqlite"


def frame(t_ms: int, *values: float, layout: Layout = LAYOUT) -> Frame:
    return Frame(layout, t_ms, values)


def test_frames_survive_a_restart_until_acknowledged(path):
    box = Outbox(path)
    box.put([frame(2000, 1140.0, math.nan), frame(1000, 1130.0, 4.9)])
    box.close()
    box = Outbox(path)
    (batch,) = box.batches(100)
    assert batch.layout == LAYOUT
    assert batch.t_ms == (1000, 2000)
    assert batch.rows[0] == (1130.0, 4.9)
    assert math.isnan(batch.rows[1][1])
    box.acknowledge(batch.ids)
    box.close()
    box = Outbox(path)
    assert box.batches(100) == []
    box.close()


def test_the_wire_form_has_values_by_series(path):
    box = Outbox(path)
    box.put([frame(1000, 1130.0, 4.9), frame(2000, 1140.0, 5.0)])
    (batch,) = box.batches(100)
    box.close()
    assert batch.to_wire() == {
        "device": "pdu-1",
        "group": "main",
        "layout": LAYOUT.hash,
        "t": [1000, 2000],
        "values": [[1130.0, 1140.0], [4.9, 5.0]],
    }


def test_the_oldest_come_first_and_at_most_so_many(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0), frame(1000, 2.0, layout=OTHER), frame(2000, 3.0, 3.0)])
    assert [(b.layout.device, b.t_ms) for b in box.batches(2)] == [("pdu-1", (1000,)), ("pdu-2", (1000,))]
    box.close()


def test_a_moment_is_once_in_a_batch(path):
    box = Outbox(path)
    box.put([frame(2000, 1.0, 1.0), frame(1000, 2.0, 2.0), frame(2000, 3.0, 3.0)])
    (batch,) = box.batches(10)
    assert (batch.t_ms, batch.rows) == ((1000, 2000), ((2.0, 2.0), (1.0, 1.0)))
    box.acknowledge(batch.ids)
    (rest,) = box.batches(10)
    assert rest.rows == ((3.0, 3.0),)
    box.close()


def test_when_full_the_oldest_are_kept_and_new_ones_counted(path):
    box = Outbox(path, max_bytes=60 * 4096)
    wide = [frame(1000 * i, 1.0, 1.0) for i in range(10_000)]
    assert box.put(wide[:1]).dropped == 0
    dropped = box.put(wide[1:]).dropped
    assert 0 < dropped < 9_999
    assert box.waiting == 10_000 - dropped
    assert box.dropped == dropped
    assert path.stat().st_size + path.with_name(path.name + "-wal").stat().st_size < 4 * 60 * 4096
    (batch,) = box.batches(20_000)
    assert batch.t_ms[-1] == 1000 * (9_999 - dropped)
    box.acknowledge(batch.ids)
    assert box.put([frame(5000, 1.0, 1.0)]).dropped == 0
    box.close()


def test_a_full_disk_is_an_error_of_the_outbox_and_what_is_in_it_stays(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0)])
    box._file._db.execute("PRAGMA max_page_count = 20")  # SQLite then fails as on a full disk
    with pytest.raises(OutboxError, match="full") as caught:
        box.put([frame(2000 + i, 1.0, 1.0) for i in range(2000)])
    assert caught.value.code == "outbox_disk_full"
    with pytest.raises(OutboxError, match="full"):
        box.put_note("poll", {"device": "pdu-1", "t": 1, "detail": "x" * 100_000})
    before = box.waiting
    box._file._db.execute("PRAGMA max_page_count = 2000")
    box.put([frame(1, 1.0, 1.0)])
    assert box.waiting == before + 1
    box.close()


def test_a_full_disk_leaves_room_to_delete_what_is_delivered(path, monkeypatch):
    """The reserve is given up for it; new frames wait until the disk has room again."""
    box = Outbox(path)
    reserve = path.with_name("outbox.sqlite.reserve")
    assert reserve.stat().st_size == 8 * 2**20
    box.put([frame(1000, 1.0, 1.0)])
    box._file._db.execute("PRAGMA max_page_count = 20")
    with pytest.raises(OutboxError):
        box.put([frame(2000 + i, 1.0, 1.0) for i in range(2000)])
    assert not reserve.exists()
    real = os.statvfs(path.parent)
    nearly_full = os.statvfs_result([*real[:4], 1000, *real[5:]])  # 1,000 blocks of 4 KiB
    monkeypatch.setattr(os, "statvfs", lambda where: nearly_full)
    with pytest.raises(OutboxError, match="the disk is full"):
        box.put([frame(1, 1.0, 1.0)])
    (batch,) = box.batches(10)
    box.acknowledge(batch.ids)
    monkeypatch.undo()
    assert box.put([frame(1, 1.0, 1.0)]).dropped == 0
    assert reserve.exists()
    box.close()


def test_the_cost_of_a_note_does_not_depend_on_how_many_wait(path):
    """By SQLite's virtual machine: steps for one more note with 20 and with 20,000 waiting."""
    box = Outbox(path)

    def steps() -> int:
        counted = [0]
        box._file._db.set_progress_handler(lambda: counted.__setitem__(0, counted[0] + 1) or 0, 1)
        box.put_note("poll", {"device": "pdu-1", "t": 1})
        box.notes("event", 500)
        box._file._db.set_progress_handler(None, 1)
        return counted[0]

    for i in range(20):
        box.put_note("poll", {"device": "pdu-1", "t": i})
    few = steps()
    rows = [("poll", b"{}")] * 20_000
    box._file._db.executemany("INSERT INTO note (kind, body) VALUES (?, ?)", rows)
    assert steps() <= 2 * few
    box.close()


def test_dead_letters_leave_the_queue_and_stay_readable(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0), frame(1000, 2.0, layout=OTHER)])
    bad, good = box.batches(10)
    box.dead.reject(bad.ids, 5000, "unknown_device", "no device pdu-1")
    assert [b.layout.device for b in box.batches(10)] == ["pdu-2"]
    assert box.dead.rows() == [("unknown_device", "no device pdu-1", 1000)]
    assert box.waiting == 1
    assert good.ids
    box.close()


def test_rejected_frames_take_a_tenth_of_the_outbox_and_held_ones_stay(path):
    box = Outbox(path, max_bytes=2_000_000)
    ahead = ClockState(wall_ms=10_000_000, server_ms=6_400_000)
    box.put([frame(9_000_000, 1.0, 1.0)], ahead)
    for start in range(0, 3000, 1000):
        box.put([frame(start + i, 1.0, 1.0) for i in range(1000)])
        ids = [id_ for batch in box.batches(1000) for id_ in batch.ids]
        box.dead.reject(ids, 5000, "unknown_device", "no")
    kept = [t for code, _, t in box.dead.rows() if code == "unknown_device"]
    assert kept == list(range(3000 - len(kept), 3000))
    assert 216 * len(kept) <= 200_000  # bytes: 2 values and 200 for the rest
    assert [t for code, _, t in box.dead.rows() if code == "clock_ahead"] == [9_000_000]
    box.close()


def test_frames_read_while_the_clock_was_ahead_are_held_until_they_are_replayed(path):
    box = Outbox(path)
    ahead = ClockState(wall_ms=10_000_000, server_ms=6_400_000)  # an hour
    done = box.put([frame(9_999_000, 1.0, 1.0), frame(6_000_000, 2.0, 2.0)], ahead, fence=7)  # one of the device's own
    assert (done.held, done.dropped) == (1, 0)
    in_time = ClockState(wall_ms=6_460_000, server_ms=6_400_000)
    assert box.put([frame(6_460_000, 3.0, 3.0)], in_time, fence=7).held == 0  # 60 s are accepted
    (batch,) = box.batches(10)
    assert (batch.t_ms, batch.fence) == ((6_000_000, 6_460_000), 7)
    (group,) = box.dead.groups()
    assert (group.code, group.device, group.count, group.offset_ms) == ("clock_ahead", "pdu-1", 1, 3_600_000)
    assert (group.first_ms, group.last_ms) == (9_999_000, 9_999_000)
    assert box.dead.replay(device="pdu-2", shift=True) == 0
    assert box.dead.replay(device="pdu-1", shift=True) == 1
    (batch,) = box.batches(10)
    assert batch.t_ms == (6_000_000, 6_399_000, 6_460_000)
    assert box.dead.groups() == []
    box.close()


def test_dead_letters_are_replayed_or_dropped_by_code_and_device(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0), frame(1000, 2.0, layout=OTHER)])
    for batch in box.batches(10):
        box.dead.reject(batch.ids, 5000, "unknown_device", "no")
    box.put_note("event", {"device": "pdu-1", "t": 7, "kind": "restart"})
    (note,) = box.notes("event", 1)
    box.dead.reject_note(note.id, 5000, "invalid", "no")
    found = [(g.code, g.device, g.kind, g.count, g.first_ms) for g in box.dead.groups()]
    assert found == [
        ("invalid", "pdu-1", "event", 1, 7),
        ("unknown_device", "pdu-1", "frame", 1, 1000),
        ("unknown_device", "pdu-2", "frame", 1, 1000),
    ]
    assert box.dead.drop(code="unknown_device", device="pdu-2") == 1
    assert box.dead.replay(code="unknown_device") == 1
    assert box.dead.replay() == 1
    assert [b.layout.device for b in box.batches(10)] == ["pdu-1"]
    assert [n.body["kind"] for n in box.notes("event", 9)] == ["restart"]
    assert box.dead.rows() == []
    box.close()


def test_postponed_frames_wait_until_the_server_has_reached_their_time(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0), frame(2000, 1.0, 1.0), frame(3000, 1.0, 1.0)])
    (batch,) = box.batches(10)
    box.postpone(batch.ids[1:])
    assert box.batches(10)[0].t_ms == (1000,)
    assert box.waiting == 3
    assert box.resume(1999) == 0
    assert box.resume(2000) == 1
    assert box.batches(10)[0].t_ms == (1000, 2000)
    box.close()
    box = Outbox(path)
    assert box.resume() == 1
    assert box.waiting == 3
    box.close()


def test_frames_of_different_leases_are_different_batches(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0)], fence=1)
    box.put([frame(2000, 1.0, 1.0)], fence=2)
    assert [(b.fence, b.t_ms) for b in box.batches(10)] == [(1, (1000,)), (2, (2000,))]
    assert box.batches(10)[1].to_wire()["fence"] == 2
    box.close()


def test_an_outbox_of_an_earlier_version_is_delivered(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0)])
    for table in ("frame", "dead_letter"):
        for column in ("offset_ms", "fence"):
            box._file._db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    box.close()
    box = Outbox(path)
    (batch,) = box.batches(10)
    assert (batch.t_ms, batch.fence) == ((1000,), None)
    box.dead.reject(batch.ids, 1, "x", "y")
    box.close()


def test_layouts_are_reported_once_and_again_when_forgotten(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0)])
    assert box.unannounced([LAYOUT.hash]) == [LAYOUT]
    box.set_announced([LAYOUT.hash], announced=True)
    box.close()
    box = Outbox(path)
    assert box.unannounced([LAYOUT.hash]) == []
    box.set_announced([LAYOUT.hash], announced=False)
    assert box.unannounced([LAYOUT.hash]) == [LAYOUT]
    box.close()


def test_notes_by_kind(path):
    box = Outbox(path)
    box.put_note("poll", {"device": "pdu-1", "t": 1000, "code": "device_timeout"})
    box.put_note("event", {"device": "pdu-1", "t": 1000, "kind": "device_lost"})
    (poll,) = box.notes("poll", 10)
    assert poll.body["code"] == "device_timeout"
    box.drop_notes([poll.id])
    assert box.notes("poll", 10) == []
    (event,) = box.notes("event", 10)
    box.dead.reject_note(event.id, 9000, "invalid", "no such device")
    assert box.notes("event", 10) == []
    assert box.dead.rows() == [("invalid", "no such device", None)]
    box.close()


def test_things_are_remembered_by_name(path):
    box = Outbox(path)
    assert box.kept("lease") is None
    box.keep("lease", [{"key": "pdu-1"}])
    box.close()
    box = Outbox(path)
    assert box.kept("lease") == [{"key": "pdu-1"}]
    box.close()


def test_lists_of_any_length_are_looked_up_by_one_statement(path, monkeypatch):
    """SQLite keeps 128 statements prepared: one for each length took 4 MB within minutes."""
    box = Outbox(path)
    layouts = [Layout(f"pdu-{n}", "main", 10_000, LAYOUT.series) for n in range(3)]
    box.put([frame(1000, 1.0, 1.0, layout=layout) for layout in layouts])
    box.set_announced([layouts[0].hash], announced=True)
    asked = []
    read = box._file.read
    monkeypatch.setattr(box._file, "read", lambda query, values=(): asked.append(query) or read(query, values))
    assert box.unannounced(layout.hash for layout in layouts) == layouts[1:]
    assert box.unannounced([layouts[0].hash]) == []
    assert len(set(asked)) == 1
    box.close()
