"""Which meters are a power of ten off, by fleets made by hand."""

import pytest

from app.domain.checks import MeterLevel, scale_suspicions


def fleet(n=33, low=4, factor=1000.0):
    """PDUs of 16 nodes each, between 3 and 9 kW; `low` more of them count in a smaller unit."""
    whole = [MeterLevel(f"pdu-{i:02}", 3000.0 + 6000.0 * (i * 7 % n) / n, "", 16) for i in range(n)]
    return whole + [MeterLevel(f"low-{i}", (4000.0 + 1000.0 * i) / factor, "", 16) for i in range(low)]


@pytest.mark.parametrize("factor", [10.0, 1000.0])
def test_exactly_the_low_ones_are_named_with_their_factor(factor):
    levels = [
        *(fleet(factor=factor) if factor == 1000 else [
            MeterLevel(f"pdu-{i}", 150.0 * 16, "", 16) for i in range(33)] + [
            MeterLevel(f"low-{i}", 15.0 * 16, "", 16) for i in range(4)]),
        MeterLevel("switch", 12.0, "", 1),  # a PDU that powers one switch of 12 W
        MeterLevel("empty", 12.0, "", 0),
    ]  # fmt: skip
    assert {one.key: one.factor for one in scale_suspicions(levels)} == {f"low-{i}": factor for i in range(4)}


def test_a_feed_in_standby_is_not_named():
    feeds = [MeterLevel(f"{side}-{i}", 3000.0, side, 16, frozenset({f"{other}-{i}"}))
             for i in range(12) for side, other in (("a", "b"), ("b", "a"))]  # fmt: skip
    standby = [
        MeterLevel("a-s", 6000.0, "a", 16, frozenset({"b-s"})),  # carries all 16 nodes
        MeterLevel("b-s", 3.0, "b", 16, frozenset({"a-s"})),
    ]
    assert scale_suspicions([*feeds, *standby]) == []
    wrong = [
        MeterLevel("a-w", 3000.0, "a", 16, frozenset({"b-w"})),
        MeterLevel("b-w", 3.0, "b", 16, frozenset({"a-w"})),
    ]
    assert [one.key for one in scale_suspicions([*feeds, *wrong])] == ["b-w"]
    # where all B feeds are in standby, they are each other's peers
    assert scale_suspicions([MeterLevel(f"b-{i}", 3.0 + i, "b", 16) for i in range(12)]) == []


def test_a_level_above_its_breaker_is_too_high():
    levels = [*fleet(low=0), MeterLevel("high", 6_000_000.0, "", 16, rated_va=22_000.0)]
    (found,) = scale_suspicions(levels)
    assert (found.key, found.factor) == ("high", 0.001)


def test_a_factor_that_would_exceed_the_breaker_is_no_factor():
    assert scale_suspicions([*fleet(low=0), MeterLevel("low", 6.0, "", 16, rated_va=3600.0)]) == []


def test_the_lifetime_is_evidence_without_peers():
    (found,) = scale_suspicions([MeterLevel("a", 6000.0, "", 1, lifetime_w=6.5)])
    assert (found.factor, found.expected_w, found.of_lifetime) == (1000.0, 6.5, True)
    assert scale_suspicions([MeterLevel("a", 6000.0, "", 1, lifetime_w=4000.0)]) == []


def test_idle_and_switched_off_racks_are_not_named():
    off = [MeterLevel("idle", 60.0 * 16, "", 16), MeterLevel("off", 4.0 * 16, "", 16), MeterLevel("dead", 0.0, "", 16)]
    assert scale_suspicions([*fleet(low=0), *off]) == []
