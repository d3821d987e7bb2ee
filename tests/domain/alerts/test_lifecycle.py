"""When alerts open and close; every time and limit below is worked out by hand."""

from dataclasses import replace

import pytest

from app.domain.alerts.lifecycle import CLEAR, Alert, AlertFinding, AlertLevel, at, grade, measured, step, steps
from app.domain.alerts.rules import RULES, RuleMistake, RuleSettings, changed

S = 1000
T0 = 1_000_000
SET = RuleSettings(warn=100.0, crit=100.0, margin=5.0, for_s=60.0, clear_s=120.0)
PLACE = {"device": "pdu-a", "rack": "r1"}


def amps(value: float | None, t_s: int) -> AlertFinding:
    """A line behind a 50 A breaker derated to 40 A; over below 38 A (5 % of 40 A), no longer critical below 48 A."""
    return measured("pdu-a/inlet/l1", value, T0 + t_s * S, "A", 40.0, 50.0, 2.0, PLACE, "50 A")


def run(values: list[tuple[int, float | None]], settings: RuleSettings = SET, alert: Alert | None = None):
    """The alert after each reading."""
    after = []
    for t_s, value in values:
        alert = step(alert, "circuit_load", amps(value, t_s), settings, T0 + t_s * S)
        after.append(alert)
        if alert is not None and alert.until_ms is not None:
            alert = None
    return after


@pytest.mark.parametrize(
    ("value", "level", "held"),
    [
        (40.0, AlertLevel.OK, AlertLevel.WARN),  # a limit may be reached; within the margin it is held
        (40.1, AlertLevel.WARN, AlertLevel.WARN),
        (38.0, AlertLevel.OK, AlertLevel.OK),
        (49.9, AlertLevel.WARN, AlertLevel.CRIT),
        (50.0, AlertLevel.CRIT, AlertLevel.CRIT),
        (47.9, AlertLevel.WARN, AlertLevel.WARN),
    ],
)
def test_a_value_against_its_limits(value: float, level: AlertLevel, held: AlertLevel) -> None:
    assert grade(value, 40.0, 50.0, 2.0) == (level, held)
    assert grade(60.0, 40.0, None, 2.0) == (AlertLevel.WARN, AlertLevel.WARN)


def test_it_opens_once_it_lasted_and_tells_since_when() -> None:
    first, second, third, fourth = run([(0, 41.0), (30, 45.0), (60, 42.0), (75, 43.0)])
    assert first is not None
    assert not first.is_active
    assert second is not None
    assert not second.is_active
    assert third is not None
    assert third.is_active
    assert (third.since_ms, third.opened_ms, third.level) == (T0, T0 + 60 * S, AlertLevel.WARN)
    assert (third.value, third.limit, third.unit) == (42.0, 40.0, "A")
    assert (third.worst, third.worst_ms) == (45.0, T0 + 30 * S)
    assert fourth is not None
    assert (fourth.since_ms, fourth.opened_ms, fourth.value) == (T0, T0 + 60 * S, 43.0)


def test_what_does_not_last_opens_nothing() -> None:
    assert run([(0, 41.0), (45, 39.0), (60, 41.0), (105, 41.0)])[1] is None
    (last,) = run([(0, 41.0), (45, 39.0), (60, 41.0), (105, 41.0)])[-1:]
    assert last is not None
    assert not last.is_active  # it began anew at 60 s


def test_a_reading_seen_twice_lasts_no_longer() -> None:
    alert = step(None, "circuit_load", amps(41.0, 0), SET, T0)
    assert alert is not None
    again = step(alert, "circuit_load", amps(41.0, 0), SET, T0 + 300 * S)
    assert again is not None
    assert not again.is_active


OPEN = run([(0, 41.0), (60, 41.0)])[-1]


def test_within_the_margin_it_stays_and_below_it_ends_after_a_while() -> None:
    held, below, closed = run([(90, 39.0), (105, 37.9), (225, 37.0)], alert=OPEN)
    assert held is not None
    assert (held.is_active, held.warn_pending_ms) == (True, None)
    assert below is not None
    assert (below.is_active, below.warn_pending_ms) == (True, T0 + 105 * S)
    assert closed is not None
    assert (closed.is_active, closed.until_ms, closed.ended, closed.worst) == (False, T0 + 105 * S, "", 41.0)


def test_back_above_in_between_the_time_below_starts_over() -> None:
    last = run([(90, 37.0), (150, 41.0), (160, 37.0), (270, 37.0)], alert=OPEN)[-1]
    assert last is not None
    assert last.is_active


def test_it_becomes_critical_and_less_again_and_the_past_keeps_the_highest() -> None:
    rising, critical, falling, less = run([(90, 52.0), (150, 51.0), (165, 47.0), (285, 41.0)], alert=OPEN)
    assert rising is not None
    assert rising.level is AlertLevel.WARN
    assert critical is not None
    assert (critical.level, critical.limit) == (AlertLevel.CRIT, 50.0)
    assert falling is not None
    assert falling.level is AlertLevel.CRIT
    assert less is not None
    assert (less.level, less.worst_level, less.worst) == (AlertLevel.WARN, AlertLevel.CRIT, 52.0)
    over = run([(300, 30.0), (420, 30.0)], alert=less)[-1]
    assert over is not None
    assert (over.until_ms, over.level) == (T0 + 300 * S, AlertLevel.CRIT)


def test_missing_readings_neither_open_nor_close() -> None:
    assert run([(0, 41.0), (30, None)])[-1] is None
    gone, still, back = run([(80, None), (900, None), (915, 37.0)], alert=OPEN)
    assert gone is not None
    assert (gone.is_active, gone.missing_ms, gone.value) == (True, T0 + 80 * S, 41.0)
    assert still is not None
    assert (still.is_active, still.missing_ms) == (True, T0 + 80 * S)
    assert back is not None
    assert (back.is_active, back.missing_ms, back.warn_pending_ms) == (True, None, T0 + 915 * S)


def test_what_is_no_longer_found_ends_too_and_says_so() -> None:
    waiting = step(OPEN, "circuit_load", None, SET, T0 + 100 * S)
    assert waiting is not None
    assert waiting.is_active
    over = step(waiting, "circuit_load", None, SET, T0 + 220 * S)
    assert over is not None
    assert (over.until_ms, over.ended) == (T0 + 100 * S, "no longer found")


def test_a_rule_that_is_turned_off_ends_what_is_active_at_once() -> None:
    over = step(OPEN, "circuit_load", amps(60.0, 90), replace(SET, enabled=False), T0 + 90 * S)
    assert over is not None
    assert (over.until_ms, over.ended) == (T0 + 90 * S, "the rule was turned off")
    assert step(None, "circuit_load", amps(60.0, 90), replace(SET, enabled=False), T0) is None


def test_what_lasts_no_time_opens_at_once_and_knows_when_it_began() -> None:
    now = RuleSettings(clear_s=60.0)
    told = AlertFinding("ups:on_battery", at(AlertLevel.CRIT), T0, began_ms=T0 - 5 * S, device="ups")
    alert = step(None, "device_event", told, now, T0)
    assert alert is not None
    assert (alert.is_active, alert.level, alert.since_ms, alert.opened_ms) == (True, AlertLevel.CRIT, T0 - 5 * S, T0)
    ending = step(alert, "device_event", replace(told, grade=CLEAR, t_ms=T0 + S), now, T0 + S)
    assert ending is not None
    assert ending.is_active
    over = step(ending, "device_event", replace(told, grade=CLEAR, t_ms=T0 + 61 * S), now, T0 + 61 * S)
    assert over is not None
    assert over.until_ms == T0 + S


def test_only_what_changes_is_reported() -> None:
    quiet = {"pdu-a/inlet/l1": amps(20.0, 0)}
    assert steps({}, "circuit_load", quiet, SET, T0) == {}
    (change,) = steps({}, "circuit_load", {"pdu-a/inlet/l1": amps(41.0, 0)}, SET, T0).values()
    assert change[0] is None
    assert change[1] is not None
    assert change[1].device == "pdu-a"


def test_a_rule_may_be_set_within_reason() -> None:
    rule = RULES["inlet_temperature"]
    assert changed(rule, {}) == rule.defaults
    assert changed(rule, {"warn": 25, "crit": None}) == replace(rule.defaults, warn=25, crit=None)
    assert changed(rule, {"enabled": False}) == replace(rule.defaults, enabled=False)


_ABOVE = "critical is at or above warning; null for no critical level"


@pytest.mark.parametrize(
    ("name", "given", "mistake"),
    [
        ("inlet_temperature", {"warn": 270}, ("warn", "270 is not within 5…60 °C", "the default is 27")),
        ("inlet_temperature", {"warn": "hot"}, ("warn", "'hot' is no number", "a number of °C")),
        ("inlet_temperature", {"warn": None}, ("warn", "None is no number", "a number of °C")),
        ("inlet_temperature", {"crit": 20}, ("crit", "20 is below warn, 27", _ABOVE)),
        ("rack_load", {"for_s": -1}, ("for_s", "-1 is not within 0…86400 s", "the default is 120")),
        ("rack_load", {"margin": 50}, ("margin", "50 is not within 0…45 % of usable", "the default is 3")),
        ("rack_load", {"enabled": 1}, ("enabled", "1 is neither true nor false", "true or false")),
        ("device_event", {"warn": 5}, ("warn", "rule device_event has none", "leave it out")),
        ("failover", {"wern": 5}, ("wern", "no rule has this", "one of clear_s, crit, enabled, for_s, margin, warn")),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named_with_its_fix(name: str, given: dict[str, object], mistake: tuple[str, ...]) -> None:
    assert changed(RULES[name], given) == [RuleMistake(*mistake)]


def test_all_mistakes_are_reported_at_once() -> None:
    found = changed(RULES["failover"], {"warn": 0, "for_s": True, "x": 1})
    assert isinstance(found, list)
    assert [m.field for m in found] == ["for_s", "warn", "x"]


def bound(watts: float, t_s: int, missing: str | None = "pdu-e") -> AlertFinding:
    """Rack load of which a part is missing: warning above 90 W, critical from 100 W."""
    return measured("r7", watts, t_s * 1000, "W", 90.0, 100.0, 3.0, {"rack": "r7"}, "", missing)


def test_a_lower_bound_opens_and_raises_an_alert_and_neither_lowers_nor_ends_it():
    settings = RuleSettings(warn=90.0, crit=100.0, margin=3.0)
    alert = step(None, "rack_load", bound(95.0, 0), settings, 0)
    assert alert is not None
    assert (alert.level, alert.missing, alert.missing_ms) == (AlertLevel.WARN, "pdu-e", 0)
    alert = step(alert, "rack_load", bound(101.0, 10), settings, 10_000)
    assert alert is not None
    assert alert.level is AlertLevel.CRIT
    for t_s in (20, 30, 40):
        alert = step(alert, "rack_load", bound(10.0, t_s), settings, t_s * 1000)
        assert alert is not None
        assert (alert.level, alert.value, alert.missing_ms) == (AlertLevel.CRIT, 10.0, 0)
    alert = step(alert, "rack_load", bound(10.0, 50, None), settings, 50_000)  # all of it is known again
    assert alert is not None
    assert (alert.until_ms, alert.missing, alert.missing_ms) == (50_000, None, None)


def test_a_lower_bound_below_the_limit_opens_nothing():
    assert step(None, "rack_load", bound(80.0, 0), RuleSettings(warn=90.0, crit=100.0, margin=3.0), 0) is None
