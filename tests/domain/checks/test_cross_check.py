"""Meters against each other, by hand."""

import math
import tracemalloc

import numpy as np
import pytest

from app.domain.checks.cross_check import Cause, Side, cause_of_ratio, compare
from app.domain.checks.shapes import correlations, mixed_up
from app.domain.timeseries.curve import Curve, from_samples
from app.presentation.checks import cause_text

HOUR = 3_600_000


def steady(watts: float, start_s: int = 0, end_s: int = 3600) -> Curve:
    t = 1000 * np.arange(start_s, end_s, 10)
    return from_samples(t, np.full(t.size, watts), 10_000, 30_000)


def test_within_what_is_declared_and_lost_on_the_way() -> None:
    # 3 % of 980 + 1 % of 1000 = 39.4 W, and 2 % of 1000 may be lost
    found = compare(Side("outlets", steady(980), 3.0), Side("inlet", steady(1000), 1.0), 0, HOUR, 2.0)
    assert (found.left_w, found.right_w, found.difference_w) == (980.0, 1000.0, -20.0)
    assert found.tolerance_w == pytest.approx(59.4)
    assert (found.verdict, found.assumed) == ("agrees", False)


def test_losses_go_one_way() -> None:
    # 3 % of 1050 + 1 % of 1000 = 41.5 W: 50 W more leave than enter
    found = compare(Side("outlets", steady(1050), 3.0), Side("inlet", steady(1000), 1.0), 0, HOUR, 2.0)
    assert found.verdict == "disagrees"
    less = compare(Side("outlets", steady(950), 3.0), Side("inlet", steady(1000), 1.0), 0, HOUR, 2.0)
    # 28.5 + 10 + 20 = 58.5 W allow 50 W less
    assert less.verdict == "agrees"


def test_a_part_may_be_any_less_but_no_more() -> None:
    part = compare(Side("GPUs", steady(300), 5.0), Side("wall", steady(1000), 1.0), 0, HOUR, at_most=True)
    assert part.verdict == "agrees"
    # 5 % of 1100 + 1 % of 1000 = 65 W
    more = compare(Side("GPUs", steady(1100), 5.0), Side("wall", steady(1000), 1.0), 0, HOUR, at_most=True)
    assert more.verdict == "disagrees"


def test_an_accuracy_no_one_declares_is_assumed_and_reported() -> None:
    found = compare(Side("bmc", steady(900)), Side("wall", steady(1000), 1.0), 0, HOUR)
    # 5 % of 900 + 1 % of 1000
    assert found.tolerance_w == pytest.approx(55.0)
    assert (found.verdict, found.assumed) == ("disagrees", True)


def test_resolution_counts_by_its_half() -> None:
    found = compare(Side("a", steady(100), 0.0, 10.0), Side("b", steady(105), 0.0), 0, HOUR)
    assert (found.tolerance_w, found.verdict) == (5.0, "agrees")


def test_only_the_time_that_both_cover_counts() -> None:
    late = from_samples(1000 * np.arange(0, 3600, 10), np.r_[np.full(180, 500.0), np.full(180, 1000.0)], 10_000, 30_000)
    found = compare(Side("a", late, 1.0), Side("b", steady(1000, 1800), 1.0), 0, HOUR)
    assert (found.left_w, found.covered_ms, found.verdict) == (1000.0, 1_800_000, "agrees")
    short = compare(Side("a", steady(1000), 1.0), Side("b", steady(500, 3300), 1.0), 0, HOUR)
    assert (short.covered_ms, short.verdict) == (300_000, "cannot_judge")
    apart = compare(Side("a", steady(1000, 0, 600), 1.0), Side("b", steady(500, 3000), 1.0), 0, HOUR)
    assert math.isnan(apart.left_w)
    assert apart.verdict == "cannot_judge"


@pytest.mark.parametrize(
    ("left_w", "right_w", "code", "words"),
    [
        (98.0, 1000.0, "scale", "wrong scale: inlet is 10 times outlets"),
        (1_020_000.0, 1000.0, "scale", "wrong scale: outlets is 1000 times inlet"),
        (1000.0, 577.0, "phase", "wrong phase: outlets is √3 times inlet"),
        (340.0, 1000.0, "phase", "wrong phase: inlet is 3 times outlets"),
        (490.0, 1000.0, "cord", "wrong cord: inlet is twice outlets"),
    ],
)
def test_ratios_that_point_to_something(left_w: float, right_w: float, code: str, words: str) -> None:
    found = cause_of_ratio("outlets", left_w, "inlet", right_w)
    assert found is not None
    assert found.code == code
    assert cause_text(found).startswith(words)
    assert Cause.decoded(found.encoded()) == found


def test_ratios_that_point_to_nothing() -> None:
    assert cause_of_ratio("a", 800.0, "b", 1000.0) is None
    assert cause_of_ratio("a", 1.0, "b", 10.0) is None
    assert cause_of_ratio("a", 0.0, "b", 1000.0) is None
    assert cause_of_ratio("a", -100.0, "b", 1000.0) is None


def shaped(low: float, high: float, busy: int) -> Curve:
    """Busy every second block of so many minutes."""
    t = 10_000 * np.arange(360)
    v = np.where(t // 60_000 // busy % 2 == 0, low, high)
    return from_samples(t, v, 10_000, 30_000)


def test_two_nodes_whose_cords_were_swapped_show_it_though_their_means_agree() -> None:
    wall = {"n1": shaped(300, 900, 5), "n2": shaped(300, 900, 15), "n3": shaped(300, 900, 10)}
    said = {"n1": shaped(200, 700, 15), "n2": shaped(200, 700, 5), "n3": shaped(200, 700, 10)}
    found = mixed_up(wall, said, 0, HOUR)
    assert [(one.node, one.follows, one.swapped) for one in found] == [("n1", "n2", True), ("n2", "n1", True)]
    assert found[0].other > 0.99


def test_a_cord_of_another_node_is_one_sided() -> None:
    wall = {"n1": shaped(300, 900, 15), "n2": shaped(300, 900, 15)}
    said = {"n1": shaped(200, 700, 5), "n2": shaped(200, 700, 15)}
    assert [(one.node, one.follows, one.swapped) for one in mixed_up(wall, said, 0, HOUR)] == [("n1", "n2", False)]


def test_one_job_on_both_gives_one_shape_and_no_shape_says_nothing() -> None:
    same = {"n1": shaped(300, 900, 5), "n2": shaped(310, 890, 5)}
    assert mixed_up(same, {"n1": shaped(200, 700, 5), "n2": shaped(200, 700, 5)}, 0, HOUR) == []
    flat = {"n1": steady(500), "n2": steady(510)}
    assert mixed_up(flat, same, 0, HOUR) == []
    assert np.isnan(correlations(np.arange(10.0), np.array([np.arange(10.0)]))).all()
    rising = np.arange(1.0, 31.0)
    gappy = np.where(rising < 5, np.nan, 31.0 - rising)
    assert correlations(rising, np.array([2 * rising, gappy, np.full(30, 7.0)])).tolist() == [
        pytest.approx(1.0), pytest.approx(-1.0), pytest.approx(math.nan, nan_ok=True),
    ]  # fmt: skip


def test_the_shapes_of_a_month_take_no_more_memory_than_those_of_a_day() -> None:
    """Of 100 nodes and 44,640 minutes they took 36 MB for each array of means."""
    month = 31 * 24 * HOUR
    t = np.arange(0, month, HOUR // 4)
    busy = np.where(np.arange(t.size) // 96 % 2 == 0, 300.0, 900.0)
    fast, slow = (from_samples(t, watts, HOUR, HOUR) for watts in (np.roll(busy, 48), busy))
    names = [f"n{i:03d}" for i in range(100)]
    wall = dict.fromkeys(names, slow) | {"n007": fast}
    said = dict.fromkeys(names, slow) | {"n008": fast}
    tracemalloc.start()
    found = mixed_up(wall, said, 0, month)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [(one.node, one.follows) for one in found] == [("n007", "n008"), ("n008", "n000")]
    assert peak < 30e6


def test_what_adds_to_a_percentage_widens_the_tolerance():
    """±(3 % of 1000 W + 10 W) and ±1 % of 955 W: 30 + 10 + 9.55 W."""
    found = compare(Side("a", steady(1000), 3.0, accuracy_w=10.0), Side("b", steady(955), 1.0), 0, HOUR)
    assert found.tolerance_w == pytest.approx(49.55)
    assert found.verdict == "agrees"
