import pytest

from app.errors import Invalid
from app.importers.mlperf.loadgen import events, read_marks
from tests.importers.mlperf_logs import detail_log, event

NOON = 1_753_704_000_000


def test_marks_of_a_run(utc, berlin):
    text = detail_log("07-28-2025 14:00:00.250", "07-28-2025 14:10:00.500", "SingleStream", 50087)
    marks = read_marks(text, "detail", berlin)
    assert (marks.begin_ms, marks.end_ms) == (NOON + 250, NOON + 600_500)
    assert (marks.scenario, marks.queries, marks.samples) == ("SingleStream", 50087, 50087)
    assert read_marks(text, "detail", utc).begin_ms == NOON + 7_200_250


def test_a_query_holds_several_samples(utc):
    window = ("07-28-2025 14:00:00.000", "07-28-2025 14:10:00.000")
    multi = read_marks(detail_log(*window, "MultiStream", 167_926, 8), "detail", utc)
    assert (multi.queries, multi.samples) == (167_926, 1_343_408)
    offline = read_marks(detail_log(*window, "Offline", 1, 363_000_000), "detail", utc)
    assert (offline.queries, offline.samples) == (1, 363_000_000)


def test_torn_and_other_lines_are_passed_over():
    text = "loading…\n" + event("a", 1, 5) + ':::MLLOG {"key": "b"\n:::MLLOG []\n0: ' + event("c", 2, 6)[:-1]
    assert [(e.key, e.value, e.t_ms) for e in events(text)] == [("a", 1, 5), ("c", 2, 6)]


def test_a_log_without_marks_is_refused(utc):
    with pytest.raises(Invalid, match="power_begin"):
        read_marks(event("effective_scenario", "Offline", 1), "detail", utc)


def test_a_window_that_ends_before_it_begins_is_refused(utc):
    with pytest.raises(Invalid, match="not a window"):
        read_marks(detail_log("07-28-2025 14:00:00.000", "07-28-2025 13:00:00.000"), "detail", utc)
