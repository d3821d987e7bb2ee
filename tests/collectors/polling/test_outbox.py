import math

import pytest

from collectors.contract.frame import Frame, Layout, Quantity, Series
from collectors.delivery.outbox import Outbox

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
    box = Outbox(path, max_frames=2)
    assert box.put([frame(1000, 1.0, 1.0), frame(2000, 1.0, 1.0), frame(3000, 1.0, 1.0)]) == 1
    assert box.put([frame(4000, 1.0, 1.0)]) == 1
    (batch,) = box.batches(10)
    assert batch.t_ms == (1000, 2000)
    assert box.dropped == 2
    box.acknowledge(batch.ids[:1])
    assert box.put([frame(5000, 1.0, 1.0)]) == 0
    box.close()


def test_dead_letters_leave_the_queue_and_stay_readable(path):
    box = Outbox(path)
    box.put([frame(1000, 1.0, 1.0), frame(1000, 2.0, layout=OTHER)])
    bad, good = box.batches(10)
    box.dead_letter(bad.ids, 5000, "unknown_device", "no device pdu-1")
    assert [b.layout.device for b in box.batches(10)] == ["pdu-2"]
    assert box.dead_letters() == [("unknown_device", "no device pdu-1", 1000)]
    assert box.waiting == 1
    assert good.ids
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
    box.dead_letter_note(event, 9000, "invalid", "no such device")
    assert box.notes("event", 10) == []
    assert box.dead_letters() == [("invalid", "no such device", None)]
    box.close()


def test_things_are_remembered_by_name(path):
    box = Outbox(path)
    assert box.kept("lease") is None
    box.keep("lease", [{"key": "pdu-1"}])
    box.close()
    box = Outbox(path)
    assert box.kept("lease") == [{"key": "pdu-1"}]
    box.close()
