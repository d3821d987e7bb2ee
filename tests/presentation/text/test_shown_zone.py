"""Times in the zone of a page: 20 November 2026, 02:30 UTC is 19 November, 21:30 in New York (UTC−5)."""

from contextvars import copy_context

import pytest

from app.presentation.text import clock, moment, show_zone, stretch

NIGHT = 1_795_141_800_000


def test_times_are_utc_unless_a_zone_is_shown():
    assert clock(NIGHT) == "02:30"


def test_the_clock_and_the_day_follow_the_zone():
    def in_new_york():
        show_zone("America/New_York")
        hour = 3_600_000
        return (
            clock(NIGHT),
            moment(NIGHT, NIGHT + 6 * hour),
            stretch(NIGHT, NIGHT + 2 * hour),
            stretch(NIGHT, NIGHT + 4 * hour),
        )

    # 02:30 and 08:30 UTC are one day in UTC; in New York they are 21:30 of the 19th and 03:30 of the 20th
    assert copy_context().run(in_new_york) == ("21:30", "19 Nov 21:30", "21:30–23:30", "19 Nov 21:30 – 20 Nov 01:30")


def test_a_zone_that_does_not_exist():
    with pytest.raises(KeyError):
        show_zone("Mars/Olympus")
