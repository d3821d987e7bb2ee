"""Numbers and times as they are written; the browser's twin is checked in tests/e2e."""

import math

import pytest

from app.presentation.text import numbers

NOON = 1_763_640_000_000  # 2025-11-20T12:00:00Z


@pytest.mark.parametrize(
    ("x", "digits", "text"),
    [
        (1464, 0, "1\u202f464"),
        (-12000, 0, "\u221212\u202f000"),
        (-0.04, 1, "0.0"),
        (2.345, 2, "2.35"),
        (0, 0, "0"),
        (None, 1, "\u2013"),
        (math.nan, 1, "\u2013"),
    ],
)
def test_numbers(x: float | None, digits: int, text: str) -> None:
    assert numbers.num(x, digits) == text


def test_limits_keep_a_decimal_only_where_they_have_one() -> None:
    assert numbers.limit_kw(70_000) == "70\u2009kW"
    assert numbers.limit_kw(14_400) == "14.4\u2009kW"


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "100\u2009%"), (0.9996, "99.9\u2009%"), (0.5, "50.0\u2009%"), (math.nan, "\u2013")]
)
def test_coverage_rounds_down(share: float, text: str) -> None:
    assert numbers.coverage(share) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (12, "12\u2009s"),
        (2463, "41\u2009min 03\u2009s"),
        (4740, "1\u2009h 19\u2009min"),
        (274_000, "3\u2009d 04\u2009h"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert numbers.duration(seconds) == text


def test_a_moment_of_another_day_says_which() -> None:
    assert numbers.moment(NOON - 3_600_000, NOON) == "11:00"
    assert numbers.moment(NOON - 86_400_000, NOON) == "19 Nov 12:00"


def test_names_and_counts() -> None:
    assert numbers.names(["a", "b", "c", "d", "e"], 3) == "a, b, c and 2 more"
    assert numbers.names(["a", "b"]) == "a and b"
    assert numbers.count(1, "node") == "1 node"
    assert numbers.count(5, "node") == "5 nodes"


def test_a_stretch_over_midnight_names_its_days():
    assert numbers.stretch(NOON, NOON + 600_000) == "12:00\u201312:10"
    assert numbers.stretch(NOON, NOON + 20_000) == "at 12:00"
    assert numbers.stretch(NOON, NOON + 86_400_000) == "20 Nov 12:00 \u2013 21 Nov 12:00"
