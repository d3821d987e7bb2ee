"""Nodes on circuits, counted by hand."""

import functools
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.facility.placement import Spare, nodes_that_fit


def circuits(*loads: float, limit: float = 40.0) -> list[Spare]:
    return [Spare(f"pdu-{i}", load, limit) for i, load in enumerate(loads)]


def test_six_pdus_of_40_a_with_two_a_node() -> None:
    # places of 12 A: 24 and 24 taken leave 1 each, 12 leaves 2 each: 1 + 1 + 1 + 1 + 2 + 2 = 8 places, four pairs
    assert nodes_that_fit({"A": circuits(24, 24, 24, 24, 12, 12)}, {"A": 2}, 12) == 4


def test_the_feed_with_less_room_counts() -> None:
    feeds = {"A": circuits(10), "B": circuits(30)}
    assert nodes_that_fit(feeds, {"A": 1, "B": 1}, 5) == 2


def test_one_empty_circuit_does_not_make_a_pair() -> None:
    assert nodes_that_fit({"A": circuits(0, 39)}, {"A": 2}, 5) == 0


def test_nothing_fits_on_a_feed_that_is_not_there() -> None:
    assert nodes_that_fit({"A": circuits(0)}, {"A": 1, "B": 1}, 5) == 0


def test_a_node_must_add_something() -> None:
    with pytest.raises(ValueError, match="always fits"):
        nodes_that_fit({"A": circuits(0)}, {"A": 1}, 0)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.integers(1, 3))
def test_no_other_order_places_more(places: list[int], k: int) -> None:
    feeds = {"A": circuits(*[40.0 - 10 * p for p in places])}

    @functools.cache
    def best(left: tuple[int, ...]) -> int:
        options = itertools.combinations([i for i, p in enumerate(left) if p], k)
        return max((1 + best(tuple(p - (i in pick) for i, p in enumerate(left))) for pick in options), default=0)

    assert nodes_that_fit(feeds, {"A": k}, 10) == best(tuple(places))
