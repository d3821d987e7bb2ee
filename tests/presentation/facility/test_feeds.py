"""What the feeds panel says, measured and with one feed gone."""

from app.domain.capacity.failover import Failover, LinePeak
from app.presentation.facility.feeds import failed, measured
from app.services.capacity import BreakerLimit

LIMITS = {"pdu-a": BreakerLimit(50, 40), "pdu-b": BreakerLimit(50, 40)}


def gone(amps: float, lost: tuple[str, ...] = ()) -> Failover:
    return Failover("A", {"pdu-b": {"L1": LinePeak(amps, 0), "L2": LinePeak(amps - 1, 0)}}, {"pdu-b": 9_430.0}, lost)


def test_the_other_feed_carries_the_rack() -> None:
    state = failed(gone(26.7), LIMITS, "24 h")
    assert state.title == "If A fails, pdu-b carries the rack"
    assert state.verdict == "Nothing trips and no node loses power."
    assert state.detail == "Highest line: L1 of pdu-b, 26.7 A at 00:00 = 67\u2009% of the 40 A limit."
    assert state.sign == "ok"


def test_above_the_continuous_limit_is_not_a_trip() -> None:
    state = failed(gone(45.0), LIMITS, "24 h")
    assert state.title == "If A fails, pdu-b is over the continuous limit"
    assert state.sign == "warn"


def test_above_the_breaker_is() -> None:
    state = failed(gone(55.0, ("n7",)), LIMITS, "24 h")
    assert state.title == "If A fails, pdu-b would trip"
    assert state.verdict == "pdu-b would trip, n7 would lose power."
    assert state.sign == "crit"


def test_a_node_on_one_feed_is_named() -> None:
    state = failed(gone(10.0, ("n7",)), LIMITS, "24 h")
    assert state.title == "If A fails, n7 would lose power"
    assert state.sign == "crit"


def test_now() -> None:
    single = measured({"pdu-a": 18.0}, LIMITS, [], "measured")
    assert single.title == "The most loaded circuit is at 45\u2009% of its limit"
    over = measured({"pdu-a": 44.0}, LIMITS, [], "measured")
    assert (over.title, over.sign) == ("pdu-a is over the limit", "crit")
    both = measured({"pdu-a": 18.0}, LIMITS, [failed(gone(26.7), LIMITS, "24 h")] * 2, "measured")
    assert both.title == "Either feed can carry the rack alone"
    bad = measured({"pdu-a": 18.0}, LIMITS, [failed(gone(55.0), LIMITS, "24 h")] * 2, "measured")
    assert (bad.title, bad.sign) == ("The feeds are not redundant", "crit")
    assert measured({}, {}, [], "measured").title == "Feeds"


def test_no_all_clear_while_a_line_current_is_missing() -> None:
    state = measured({"a": 20.0}, {"a": BreakerLimit(50, 40), "b": BreakerLimit(50, 40)}, [], "measured", ["b"])
    assert state.title == "1 of 2 circuits is not measured"
    assert state.verdict == "Whether every circuit is within its limit cannot be said yet."
    assert state.sign == "warn"
