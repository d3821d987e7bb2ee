"""Names stand beside their curve where it is level, and not on another one."""

import numpy as np

from app.domain.timeseries import TimeWindow
from app.presentation.charts.curve_names import CurveLabel, limit_label, placed

VIEW = TimeWindow(0, 1000)
T = np.arange(0, 1001, 10)


def flat(y, text="a"):
    return CurveLabel(text, "@ink", T, np.full(T.size, float(y)))


def side(label):
    return label["yanchor"]


def test_a_name_is_below_its_curve_in_the_middle() -> None:
    [label] = placed([flat(5)], VIEW, 10)
    assert (label["x"], label["y"], side(label), label["text"]) == (500, 5, "top", "a")


def test_where_another_curve_is_close_below_the_name_is_above() -> None:
    upper, lower = placed([flat(5, "upper"), flat(4.8, "lower")], VIEW, 10)
    assert (side(upper), side(lower)) == ("bottom", "top")


def test_near_zero_the_name_is_above() -> None:
    assert side(placed([flat(0.2)], VIEW, 10)[0]) == "bottom"


def test_an_uneven_middle_is_left_for_a_level_place() -> None:
    wild = np.where((T > 380) & (T < 620), np.where(T % 20, 9.0, 1.0), 5.0)
    [label] = placed([CurveLabel("a", "@ink", T, wild)], VIEW, 10)
    assert label["x"] in (300, 700)


def test_the_name_is_below_short_dips() -> None:
    dips = np.where(T % 100 == 0, 4.0, 5.0)
    assert placed([CurveLabel("a", "@ink", T, dips)], VIEW, 10)[0]["y"] == 4.0


def test_a_curve_that_is_missing_in_the_middle_is_named_where_it_is() -> None:
    gone = np.where((T > 300) & (T < 700), np.nan, 5.0)
    assert placed([CurveLabel("a", "@ink", T, gone)], VIEW, 10)[0]["x"] in (200, 800)


def test_no_curves_no_names() -> None:
    assert placed([], VIEW, 10) == []


def test_a_curve_with_many_small_gaps_still_has_its_name() -> None:
    holes = np.where(T % 50 == 0, np.nan, 5.0)
    assert [label["x"] for label in placed([CurveLabel("a", "@ink", T, holes)], VIEW, 10)] == [500]


def test_few_points_are_enough_and_a_gap_between_them_is_not() -> None:
    t = np.array([0, 480, 520, 1000])
    assert placed([CurveLabel("a", "@ink", t, np.array([5.0, 5.0, 5.0, 5.0]))], VIEW, 10)[0]["y"] == 5
    assert placed([CurveLabel("a", "@ink", np.array([0, 500, 1000]), np.array([5.0, np.nan, 5.0]))], VIEW, 10) == []


def test_a_limit_is_named_where_the_curve_is_least_in_the_way() -> None:
    t = np.arange(0, 3_600_000, 60_000)
    view = TimeWindow(0, 3_600_000, "1 h")
    left = CurveLabel("", "", t, np.where(t < 1_800_000, 10.5, 2.0))  # at the limit of 10 in the first half
    found = limit_label("usable", 10.0, "@ink", left, view, 12.0)
    assert (found["xanchor"], found["yanchor"]) == ("right", "bottom")
    both = CurveLabel("", "", t, np.full(len(t), 10.5))
    assert limit_label("usable", 10.0, "@ink", both, view, 12.0)["yanchor"] == "top"
