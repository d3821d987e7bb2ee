"""Failover by hand: two nodes on A and B, one on A alone."""

import math

import numpy as np
import pytest

from app.domain.capacity.failover import FailoverCord, FailoverPdu, fail
from app.domain.timeseries.curve import Curve, from_samples

T = [0, 10_000, 20_000]


def curve(*v: float) -> Curve:
    return from_samples(T[: len(v)], v, 10_000, 30_000)


def hall() -> tuple[list[FailoverCord], list[FailoverPdu]]:
    cords = [
        FailoverCord("n1", "A", "pdu-a", curve(300, 400, 300)),
        FailoverCord("n1", "B", "pdu-b", curve(300, 400, 300)),
        FailoverCord("n2", "A", "pdu-a", curve(500, 100, 500)),
        FailoverCord("n2", "B", "pdu-b", curve(500, 100, 500)),
    ]
    supplies = [
        FailoverPdu("pdu-a", "A", curve(800, 500, 800), {"l1": curve(2, 1.25, 2), "l2": curve(4, 2.5, 4)}),
        FailoverPdu("pdu-b", "B", curve(800, 500, 800), {"l1": curve(3, 2, 3)}),
    ]
    return cords, supplies


def test_the_other_feed_carries_both_halves_at_coincident_instants() -> None:
    cords, supplies = hall()
    found = fail(cords, supplies, "A", 0, 30_000)
    # 800 W on B and 800 W moved from A: every line of B doubles. The nodes' own maxima (400 + 500 a side) never met.
    assert found.power_w == {"pdu-b": 1600.0}
    assert found.lines["pdu-b"]["l1"].current_a == pytest.approx(6.0)
    assert found.lines["pdu-b"]["l1"].at_ms == 0
    assert found.lost == ()


def test_a_node_on_one_feed_alone_is_named_and_its_load_goes_nowhere() -> None:
    cords, supplies = hall()
    cords.append(FailoverCord("n3", "A", "pdu-a", curve(50, 50, 50)))
    found = fail(cords, supplies, "A", 0, 30_000)
    assert found.lost == ("n3",)
    assert found.power_w == {"pdu-b": 1600.0}
    assert fail(cords, supplies, "B", 0, 30_000).lost == ()


def test_three_supplies_share_what_a_failed_fourth_carried() -> None:
    cords = [FailoverCord("n1", feed, f"pdu-{feed}", curve(300, 300)) for feed in "ABCD"]
    supplies = [FailoverPdu(f"pdu-{feed}", feed, curve(300, 300), {"l1": curve(1.5, 1.5)}) for feed in "ABCD"]
    found = fail(cords, supplies, "D", 0, 20_000)
    assert found.power_w == {"pdu-A": 400.0, "pdu-B": 400.0, "pdu-C": 400.0}
    assert found.lines["pdu-A"]["l1"].current_a == pytest.approx(2.0)


def test_a_silent_pdu_tells_nothing() -> None:
    cords, _ = hall()
    found = fail(cords, [FailoverPdu("pdu-b", "B", Curve.empty(), {"l1": Curve.empty()})], "A", 0, 30_000)
    assert math.isnan(found.lines["pdu-b"]["l1"].current_a)
    assert math.isnan(found.power_w["pdu-b"])


def test_an_instant_without_the_moved_load_does_not_count() -> None:
    cords = [FailoverCord("n1", "A", "pdu-a", curve(300)), FailoverCord("n1", "B", "pdu-b", curve(300, 300, 900))]
    found = fail(cords, [FailoverPdu("pdu-b", "B", curve(300, 300, 900), {"l1": curve(1, 1, 3)})], "A", 0, 30_000)
    # the A cord is covered for 0…10 s only: 900 W at 20 s stands alone and is not a failover load
    assert found.power_w == {"pdu-b": 600.0}
    assert np.isclose(found.lines["pdu-b"]["l1"].current_a, 2.0)


def test_a_load_that_needs_more_supplies_than_are_left_is_lost_and_moves_nothing() -> None:
    cords = [FailoverCord("chassis", feed, f"pdu-{feed.lower()}", curve(300, 300)) for feed in "AABB"]
    supplies = [FailoverPdu(f"pdu-{feed.lower()}", feed, curve(600, 600), {"l1": curve(3, 3)}) for feed in "AB"]
    # 2 + 2: two PSUs carry it; three are too many to ask of the two that are left
    carried = fail(cords, supplies, "A", 0, 20_000, {"chassis": 2})
    assert (carried.lost, carried.power_w) == ((), {"pdu-b": 1200.0})
    lost = fail(cords, supplies, "A", 0, 20_000, {"chassis": 3})
    assert (lost.lost, lost.power_w) == (("chassis",), {"pdu-b": 600.0})
