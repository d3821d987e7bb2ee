"""Cursors only grow, losses are reported, readers and the sampler may overlap."""

import sys
import threading
from array import array

import pytest

from collectors.nvml_exporter.ring import BadSampleCursor, Lost, Ring, SampleColumn

SCHEMA = (SampleColumn("gpu/0", "GPU-a", "power_average", "W"),)


def ring(rows: int = 3, filled: int = 0) -> Ring:
    made = Ring(rows, 7000)
    fill(made, 1, filled)
    return made


def fill(to: Ring, first: int, last: int) -> None:
    for n in range(first, last + 1):
        to.append(1000 * n, SCHEMA, array("d", [float(n)]))


def times(of: Ring, cursor: str, limit: int = 100) -> list[int]:
    return [row.t_ms for row in of.since(cursor, limit).rows]


def test_everything_then_only_what_is_new():
    kept = ring(filled=2)
    first = kept.since("", 100)
    assert [row.t_ms for row in first.rows] == [1000, 2000]
    assert (first.cursor, first.head, first.lost) == ("7000.2", "7000.2", None)
    assert times(kept, first.cursor) == []
    fill(kept, 3, 3)
    assert times(kept, first.cursor) == [3000]


def test_in_parts():
    kept = ring(rows=10, filled=5)
    part = kept.since("", 2)
    assert (part.cursor, part.head) == ("7000.2", "7000.5")
    assert times(kept, part.cursor, 2) == [3000, 4000]


def test_what_was_overwritten_is_reported_exactly():
    kept = ring(rows=3, filled=2)
    fill(kept, 3, 9)
    part = kept.since("7000.2", 100)
    assert [row.t_ms for row in part.rows] == [7000, 8000, 9000]
    assert part.lost == Lost("overwritten", 4, 7000)  # 3, 4, 5, 6
    assert kept.since("7000.6", 100).lost is None
    assert kept.overwritten == 6


def test_a_first_question_loses_nothing():
    assert ring(rows=3, filled=9).since("", 100).lost is None


def test_a_cursor_of_the_exporter_before_gets_everything_and_is_reported():
    part = ring(filled=2).since("6000.500", 100)
    assert [row.t_ms for row in part.rows] == [1000, 2000]
    assert part.lost == Lost("restarted", None, 1000)


@pytest.mark.parametrize("cursor", ["7000.3", "x", "7000", "7000.", ".1", "7000.-1", "٣.٣", "7000." + "1" * 50])
def test_cursors_it_never_gave(cursor):
    with pytest.raises(BadSampleCursor):
        ring(filled=2).since(cursor, 100)


def test_an_event_comes_once_with_its_row_and_goes_with_it():
    kept = ring(rows=2, filled=1)
    kept.note(1500, "gpu_lost", "gpu/0 is lost", "critical", "gpu/0", "GPU-a")
    assert kept.since("7000.1", 100).events == []
    fill(kept, 2, 2)
    part = kept.since("7000.1", 100)
    assert [(event.kind, event.t_ms) for event in part.events] == [("gpu_lost", 1500)]
    assert kept.since(part.cursor, 100).events == []
    assert [e.kind for e in kept.since("", 1).events] == []
    fill(kept, 3, 5)
    assert kept.since("", 100).events == []


def test_a_reader_sees_a_consistent_slice_while_the_sampler_writes():
    """Rows follow the cursor without a hole, or the loss accounts for the hole, and every event comes with its row."""
    kept, last = Ring(50, 7000), 100_000

    def write() -> None:
        for n in range(1, last + 1):
            kept.note(1000 * n, "gpu_lost", str(n))
            kept.append(1000 * n, SCHEMA, array("d", [float(n)]))

    writer = threading.Thread(target=write)
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads alternate after few instructions
    writer.start()
    try:
        n = 0
        while n < last:
            part = kept.since(f"7000.{n}", 20)
            n += part.lost.rows if part.lost else 0
            assert [row.n for row in part.rows] == list(range(n + 1, n + 1 + len(part.rows)))
            assert [event.n for event in part.events] == [row.n for row in part.rows]
            n += len(part.rows)
            assert part.cursor == f"7000.{n}"
    finally:
        sys.setswitchinterval(interval_s)
        writer.join()
