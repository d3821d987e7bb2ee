"""Expected moments were written down from `date -u -d …`, not from this code."""

from zoneinfo import ZoneInfo

import numpy as np
import pytest

from app.errors import Invalid
from app.importers.tables.times import read_times, rfc3339, zone
from collectors.contract import DAY_MS

NOON = 1_753_704_000_000  # 2025-07-28T12:00:00Z


@pytest.mark.parametrize(
    "cell",
    [
        "2025-07-28T12:00:00Z",
        "2025-07-28 12:00:00",
        "2025/07/28 12:00:00.000",
        "28.07.2025 12:00:00",
        "07/28/2025 12:00:00 PM",
        "2025-07-28T14:00:00+02:00",
        "2025-07-28T06:30:00-0530",
        "1753704000",
        "1753704000.0",
        "1753704000000",
        "1753704000000000",
        "1753704000000000000",
    ],
)
def test_ways_to_write_one_moment(cell, utc):
    times = read_times([cell], utc)
    assert times.utc_ms.tolist() == [NOON]
    assert times.reasons == [None]


def test_local_times_are_of_the_zone_named(berlin):
    assert read_times(["2025-07-28 14:00:00"], berlin).utc_ms.tolist() == [NOON]


def test_fractions_become_milliseconds(utc):
    cells = ["2025-07-28 12:00:00.5", "2025-07-28 12:00:00,0625", "2025-07-28 12:00:01.123456"]
    assert read_times(cells, utc).utc_ms.tolist() == [NOON + 500, NOON + 62, NOON + 1123]


def test_unreadable_times_are_flagged(utc):
    cells = ["2025-07-28 12:00:00", "yesterday", "2025-13-01 00:00:00", "2025-07-28 24:01:00"]
    assert read_times(cells, utc).reasons == [None, "bad_time", "bad_time", "bad_time"]


def test_day_and_month_are_distinguished_by_the_column(utc):
    day_first = read_times(["28/07/2025 12:00:00", "01/08/2025 12:00:00"], utc)
    assert day_first.utc_ms.tolist() == [NOON, NOON + 4 * DAY_MS]
    month_first = read_times(["07/28/2025 12:00:00", "08/01/2025 12:00:00"], utc)
    assert month_first.utc_ms.tolist() == [NOON, NOON + 4 * DAY_MS]


def test_dates_that_may_be_either_are_refused(utc):
    with pytest.raises(Invalid, match="day and month") as caught:
        read_times(["03/04/2025 12:00:00"], utc)
    assert caught.value.code == "ambiguous_date"


def test_elapsed_seconds_are_no_moment(utc):
    with pytest.raises(Invalid, match="counts from its own start") as caught:
        read_times(["0", "1", "2"], utc)
    assert caught.value.code == "relative_time"


def test_unknown_zone():
    with pytest.raises(Invalid, match="Mars/Olympus"):
        zone("Mars/Olympus")


# In Berlin 2025-10-26 the clock goes from 03:00 back to 02:00; 02:00 local is 00:00Z first and 01:00Z second.
AUTUMN = 1_761_436_800_000  # 2025-10-26T00:00:00Z


def autumn(berlin: ZoneInfo, *clocks: str):
    times = read_times([f"2025-10-26 {clock}:00" for clock in clocks], berlin)
    return [(t - AUTUMN) / 3_600_000 if r is None else r for t, r in zip(times.utc_ms, times.reasons, strict=True)]


def test_two_passes_through_the_autumn_hour_are_first_and_second(berlin):
    clocks = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
    assert autumn(berlin, *clocks) == [-0.5, 0, 0.5, 1, 1.5, 2]


def test_a_log_that_ends_in_the_autumn_hour_is_its_first_pass(berlin):
    assert autumn(berlin, "01:00", "01:30", "02:00", "02:30") == [-1, -0.5, 0, 0.5]


def test_a_log_that_begins_in_the_autumn_hour_is_its_second_pass(berlin):
    assert autumn(berlin, "02:00", "02:30", "03:00", "03:30") == [1, 1.5, 2, 2.5]


def test_a_single_pass_with_neighbours_on_both_sides_is_refused(berlin):
    ambiguous = "ambiguous_time"
    assert autumn(berlin, "01:30", "02:00", "02:30", "03:00") == [-0.5, ambiguous, ambiguous, 2]


def test_a_log_all_inside_the_autumn_hour_is_refused(berlin):
    assert autumn(berlin, "02:00", "02:10", "02:20") == ["ambiguous_time"] * 3


def test_the_spring_hour_does_not_exist(berlin):
    times = read_times(["2025-03-30 01:59:59", "2025-03-30 02:30:00", "2025-03-30 03:00:00"], berlin)
    assert times.reasons == [None, "nonexistent_time", None]
    assert np.diff(times.utc_ms[[0, 2]]).tolist() == [1000]


def test_rfc3339():
    assert rfc3339(NOON + 908) == "2025-07-28T12:00:00.908Z"
