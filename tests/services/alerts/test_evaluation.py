"""Alerts of a small hall, look by look: what opens, what closes, what survives, and who is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.domain.alerts.rules import RULES, RuleSettings
from app.errors import Conflict, Invalid, NotFound
from app.presentation.alerts import alert_lines
from app.services.alerts import evaluation as alerting
from app.services.alerts.alert_context import read_alert_context
from app.services.alerts.alert_list import acknowledge, list_alerts, responding_again, set_rule
from app.services.alerts.device_findings import unfinished_events
from app.services.alerts.evaluation import SLOW, evaluate
from app.services.alerts.failover_findings import failovers
from app.services.devices import lease
from app.services.maintenance.retention import retire
from app.services.stores import open_stores
from app.services.timeseries import read_latest
from app.settings import Settings
from app.store.alerts.alert_list import AlertFilter
from app.store.alerts.alerts import AlertCounts
from app.store.database.engine import Engine
from app.store.devices.health import DeviceEvent, PollFailure
from collectors.contract.frame import Quantity
from tests.services.alerts.conftest import NOW, POLL, Clock, Hall, S


def test_a_quiet_hall_needs_no_one(hall: Hall) -> None:
    hall.go(300)
    assert hall.active == {}
    assert hall.stores.alerts.counts() == AlertCounts(0, 0, 0)


def test_a_line_above_its_limit_opens_after_a_minute_and_ends_when_it_is_below(hall: Hall, clock: Clock) -> None:
    hall.amps("pdu-a", 17.0)
    hall.go(60)
    assert hall.active == {}
    hall.go(10)
    alert = hall.active["pdu-a/inlet/l1"]
    assert (alert.rule, alert.value, alert.limit, alert.unit) == ("circuit_load", 17.0, 16.0, "A")
    assert (alert.device, alert.rack, alert.since_ms, alert.opened_ms) == ("pdu-a", "r1", NOW + 10 * S, NOW + 70 * S)
    hall.amps("pdu-a", 15.5)  # within 5 % of 16 A
    hall.go(300)
    assert "pdu-a/inlet/l1" in hall.active
    hall.amps("pdu-a", 15.0)
    hall.go(120)
    assert "pdu-a/inlet/l1" in hall.active
    hall.go(10)
    assert "pdu-a/inlet/l1" not in hall.active
    assert hall.past["pdu-a/inlet/l1"].until_ms == NOW + 380 * S
    assert hall.past["pdu-a/inlet/l1"].worst == 17.0


def test_at_the_rating_it_is_critical(hall: Hall) -> None:
    hall.amps("pdu-a", 20.0)
    hall.go(70)
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(rack="r1"), 10)[0])
    assert (line.level, line.limit, line.about) == ("crit", 20.0, "pdu-a L1 above its limit")
    assert line.href == "/racks/r1"
    assert hall.stores.alerts.counts() == AlertCounts(1, 1, 1)


def test_an_alert_outlives_the_server(hall: Hall, engine: Engine, clock: Clock, tmp_path: Path) -> None:
    hall.amps("pdu-a", 17.0)
    hall.go(40)  # waits
    other = Hall(open_stores(Settings(data_dir=tmp_path), clock, engine), clock)
    other.amps("pdu-a", 17.0)
    clock.now += 60 * S  # until the turn of the first is over
    other.poll()
    (change,) = evaluate(other.stores, "another")
    assert change[1] is not None
    assert change[1].since_ms == NOW + 10 * S
    assert change[1].is_active


def test_two_servers_open_it_once(hall: Hall) -> None:
    hall.amps("pdu-a", 17.0)
    for _ in range(8):
        hall.clock.now += POLL * S
        hall.poll()
        evaluate(hall.stores, "me")
        assert evaluate(hall.stores, "another") == []
    assert len(hall.active) == 1


def test_missing_readings_close_nothing_and_say_since_when(hall: Hall) -> None:
    hall.amps("pdu-a", 17.0)
    hall.go(70)
    last = hall.clock.now
    hall.silent.add("pdu-a")
    hall.go(600)
    alert = hall.active["pdu-a/inlet/l1"]
    assert (alert.value, alert.missing_ms) == (17.0, last)
    (line,) = [one for one in alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0]) if one.rule == "circuit_load"]
    assert line.no_readings_since_ms == last


def test_a_silent_device_is_reported_with_the_reason_and_over_when_it_answers(hall: Hall) -> None:
    hall.silent.add("pdu-b")
    hall.stores.health.record_failures([PollFailure("pdu-b", NOW + 10 * S, "device_timeout", "no answer within 3 s")])
    hall.go(60)
    assert "pdu-b" not in hall.active  # silent after 35 s, for half a minute
    hall.go(10)
    alert = hall.active["pdu-b"]
    assert (alert.rule, alert.since_ms, alert.detail) == ("device_silent", NOW, "no answer within 3 s")
    assert (alert.value, alert.limit) == (70.0, 35.0)
    hall.silent.clear()
    hall.go(40)
    past = hall.past["pdu-b"]
    assert (past.until_ms, past.rack, past.worst, past.ended) == (NOW + 80 * S, "r1", 70.0, "")


def test_an_alert_of_a_device_that_responds_again_says_so_until_it_ends(hall: Hall, clock: Clock) -> None:
    hall.silent.add("pdu-b")
    hall.go(70)
    hall.silent.clear()
    clock.now += 5 * S
    hall.poll()  # no evaluation since
    items, _ = list_alerts(hall.stores, AlertFilter(), 10)
    responding = responding_again(hall.stores, items, read_latest(hall.stores))
    (line,) = alert_lines(items, (), clock.now, responding)
    assert (line.about, line.amount, line.recovering) == (
        "pdu-b responds again",
        "was silent for 1\u2009min 10\u2009s",
        True,
    )
    hall.go(10)  # evaluated, and not yet over for 30 s
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0])
    assert (line.about, line.recovering) == ("pdu-b responds again", True)


def test_a_load_alert_that_is_below_its_limit_is_recovering(hall: Hall) -> None:
    hall.amps("pdu-a", 17.0)
    hall.go(70)
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0])
    assert not line.recovering
    hall.amps("pdu-a", 15.0)
    hall.go(20)
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0])
    assert (line.about, line.recovering) == ("pdu-a L1 above its limit", True)


def test_a_rack_close_to_its_supply(hall: Hall) -> None:
    hall.told["pdu-a"]["inlet", Quantity.POWER] = 7100.0  # with 2000 W of B: 9100 W of 10 kW
    hall.go(130)
    alert = hall.active["r1"]
    assert (alert.rule, alert.value, alert.limit, alert.level) == ("rack_load", 9100.0, 9000.0, 1)


def test_a_warm_inlet_by_ashrae(hall: Hall) -> None:
    hall.told["pdu-a"]["probe/1", Quantity.TEMPERATURE] = 27.5
    hall.told["pdu-b"]["probe/1", Quantity.TEMPERATURE] = 32.0
    hall.go(130)
    assert {s: (a.level, a.limit) for s, a in hall.active.items()} == {
        "pdu-a/probe/1": (1, 27.0),
        "pdu-b/probe/1": (2, 32.0),
    }


def test_a_feed_that_would_trip_if_the_other_failed(hall: Hall) -> None:
    # A takes B's 2000 W beside its own 2000 W: L1 doubles, 2 × 11 = 22 A on 20 A; B with 6 A would carry 12 A.
    hall.amps("pdu-a", 11.0)
    hall.go(130)
    (alert,) = hall.active.values()
    assert (alert.subject, alert.rule, alert.detail) == ("r1:B", "failover", "pdu-a L1")
    assert (alert.value, alert.limit) == (22.0, 20.0)


def test_what_a_failed_feed_leaves_is_reckoned_only_where_it_may_matter(hall: Hall) -> None:
    assert not list(failovers(read_alert_context(hall.stores), RULES["failover"].defaults))  # no alert to end
    context = read_alert_context(hall.stores, unfinished={"r1:A", "r1:B"})
    found = {f.subject: f for f in failovers(context, RULES["failover"].defaults)}
    assert {key: (f.value, f.grade and int(f.grade.level)) for key, f in found.items()} == {
        "r1:A": (None, 0),
        "r1:B": (None, 0),
    }
    strict = RuleSettings(warn=50.0, margin=0.0)
    found = {f.subject: f for f in failovers(read_alert_context(hall.stores), strict)}
    assert found["r1:A"].value == 12.0
    hall.silent.add("pdu-b")
    hall.clock.now += 60 * S
    hall.poll()
    found = {f.subject: f for f in failovers(read_alert_context(hall.stores), strict)}
    assert found["r1:A"].grade is None
    assert (found["r1:B"].value, found["r1:B"].missing) == (6.0, "pdu-b")  # what moves to A is not known


def test_a_failover_alert_opens_on_what_is_known_of_the_lines(hall: Hall) -> None:
    hall.silent.add("pdu-b")
    hall.amps("pdu-a", 21.0)  # above the breaker of 20 A already, whatever moves to it
    hall.clock.now += 60 * S
    hall.go(130)
    alert = hall.active["r1:B"]
    assert (alert.value, alert.missing) == (21.0, "pdu-b")
    hall.amps("pdu-a", 6.0)
    hall.go(300)
    assert hall.active["r1:B"].value == 6.0  # what pdu-b carries may be more: a fall ends nothing


def event(t_s: int, kind: str, subject: str = "", severity: str = "critical", device: str = "pdu-a") -> DeviceEvent:
    return DeviceEvent(NOW + t_s * S, kind, device, subject, severity, f"{kind} told")


def test_what_a_device_reported_remains_until_it_tells_that_it_is_over(hall: Hall) -> None:
    hall.stores.health.record_events(
        [event(1, "breaker_open", "bank/1"), event(2, "outlet_off", "outlet/3", "warning")]
    )
    hall.go(10)
    assert {s: (a.level, a.since_ms) for s, a in hall.active.items()} == {
        "pdu-a/bank/1:breaker_open": (2, NOW + 1 * S),
        "pdu-a/outlet/3:outlet_off": (1, NOW + 2 * S),
    }
    hall.stores.health.record_events([event(15, "breaker_closed", "bank/1", "info")])
    hall.go(80)
    assert list(hall.active) == ["pdu-a/outlet/3:outlet_off"]
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(device="pdu-a"), 10)[0])
    assert line.about == "pdu-a (outlet 3) reports that an outlet is off"


def test_an_end_without_a_place_ends_all_of_its_kind_on_that_device() -> None:
    told = [
        event(1, "overload", "bank/1"),
        event(2, "overload", "bank/2"),
        event(3, "overload", "", device="pdu-b"),
        event(4, "load_normal", ""),
        event(5, "overload", "bank/2"),
        event(6, "overload", "bank/2"),
    ]
    found = unfinished_events(told)
    assert {key: (first.t_ms - NOW, over) for key, (first, over) in found.items()} == {
        ("pdu-a", "bank/1", "overload"): (1 * S, True),
        ("pdu-a", "bank/2", "overload"): (5 * S, False),
        ("pdu-b", "", "overload"): (3 * S, False),
    }


def test_meters_that_disagree_twice(hall: Hall) -> None:
    hall.told["pdu-a"]["inlet", Quantity.POWER] = 4000.0  # outlets say 2000 W
    for _ in range(90):
        hall.clock.now += 10 * S
        hall.poll()
    assert evaluate(hall.stores, "me", SLOW)
    assert hall.active == {}
    hall.clock.now += 600 * S
    hall.poll()
    evaluate(hall.stores, "me", SLOW)
    alert = hall.active["pdu-a:outlets_inlet"]
    assert (alert.rule, alert.device, alert.rack) == ("meters_disagree", "pdu-a", "r1")
    assert alert.detail


def test_taking_one_on(hall: Hall) -> None:
    hall.amps("pdu-a", 17.0)
    hall.go(70)
    (line,) = list_alerts(hall.stores, AlertFilter(), 1)[0]
    taken = acknowledge(hall.stores, line.id, "ada", "moving n2")
    assert taken.acknowledged is not None
    assert (taken.acknowledged.by, taken.acknowledged.note) == ("ada", "moving n2")
    hall.go(10)
    assert hall.stores.alerts.counts() == AlertCounts(1, 0, 0)
    assert list_alerts(hall.stores, AlertFilter(acknowledged=False), 10)[0] == []
    hall.amps("pdu-a", 1.0)
    hall.go(130)
    with pytest.raises(Conflict, match="has already ended"):
        acknowledge(hall.stores, line.id, "ada", "")
    with pytest.raises(NotFound):
        acknowledge(hall.stores, line.id + 1, "ada", "")


def test_setting_a_rule(hall: Hall) -> None:
    assert set_rule(hall.stores, "circuit_load", {"warn": 50.0, "for_s": 0}).settings.warn == 50.0
    hall.amps("pdu-a", 9.0)
    hall.go(10)
    assert hall.active["pdu-a/inlet/l1"].limit == 8.0
    set_rule(hall.stores, "circuit_load", {"enabled": False})
    hall.go(10)
    assert hall.active == {}
    assert hall.past["pdu-a/inlet/l1"].ended == "the rule was turned off"
    assert set_rule(hall.stores, "circuit_load", {}).settings == RULES["circuit_load"].defaults
    assert hall.stores.alerts.rules() == {}
    with pytest.raises(Invalid, match="rule circuit_load: warn: 900 is not within 1…200"):
        set_rule(hall.stores, "circuit_load", {"warn": 900})


def test_pages_of_a_list(hall: Hall) -> None:
    hall.stores.health.record_events([event(i, "outlet_off", f"outlet/{i}", "warning") for i in range(1, 6)])
    hall.stores.health.record_events([event(3, "breaker_open", "bank/1")])
    hall.go(10)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page, cursor = list_alerts(hall.stores, AlertFilter(), 2, cursor)
        seen += [one.alert.subject.partition(":")[0] for one in page]
        if cursor is None:
            break
    assert seen == ["pdu-a/bank/1", *(f"pdu-a/outlet/{i}" for i in (5, 4, 3, 2, 1))]
    with pytest.raises(Invalid, match="is not a cursor"):
        list_alerts(hall.stores, AlertFilter(past=True), 2, "WzFd")


def test_past_ones_are_kept_as_long_as_the_settings_say(hall: Hall, clock: Clock) -> None:
    hall.amps("pdu-a", 17.0)
    hall.go(70)
    hall.amps("pdu-a", 1.0)
    hall.go(130)
    clock.now += 365 * 86_400 * S
    retire(hall.stores, "me", hall.stores.settings)
    assert list(hall.past) == ["pdu-a/inlet/l1"]
    clock.now += 2 * 86_400 * S
    retire(hall.stores, "me", hall.stores.settings)
    assert hall.past == {}


def test_every_rule_is_asked_somewhere() -> None:
    assert {*alerting.QUICK, *alerting.SLOW} == set(RULES)


def renew(hall: Hall, name: str, offset_ms: int = 0) -> None:
    lease(hall.stores, name, 15 * S, collector_now_ms=hall.clock.now + offset_ms, round_trip_ms=1000)


def test_a_cut_to_a_collector_is_one_alert_and_not_one_a_device(hall: Hall) -> None:
    """It polls both PDUs and is last heard at NOW + 60 s; silent 15 s later, reported 30 s after that."""
    for _ in range(6):
        hall.go(10)
        renew(hall, "west")
    hall.silent.update(("pdu-a", "pdu-b"))
    hall.go(30)
    assert hall.active == {}
    hall.go(120)
    assert list(hall.active) == ["west"]
    alert = hall.active["west"]
    assert (alert.rule, alert.level, alert.since_ms, alert.value, alert.detail) == (
        "collector_silent", 2, NOW + 60 * S, 150.0, "2",
    )  # fmt: skip
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0])
    assert (line.about, line.reason) == ("Collector west is silent", "no collector polls its 2 devices")
    hall.silent.clear()
    renew(hall, "west")
    hall.go(10)
    assert hall.active == {}
    assert hall.past["west"].until_ms == NOW + 220 * S


def test_when_the_last_collector_stops_in_order_that_is_one_alert_and_not_one_a_device(hall: Hall) -> None:
    renew(hall, "west")
    hall.stores.leases.release("west")
    hall.silent.update(("pdu-a", "pdu-b"))
    hall.go(120)
    assert list(hall.active) == ["*"]
    (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0])
    assert (line.about, line.reason, line.level) == ("No collector runs", "2 devices not polled", "crit")
    hall.silent.clear()
    renew(hall, "east")
    hall.go(10)
    assert hall.active == {}


def test_devices_that_stay_silent_when_a_collector_polls_again_have_alerts_of_their_own(hall: Hall) -> None:
    renew(hall, "west")
    hall.stores.leases.release("west")
    hall.silent.update(("pdu-a", "pdu-b"))
    hall.go(60)
    for _ in range(8):
        renew(hall, "east")
        hall.go(10)
    assert sorted(hall.active) == ["pdu-a", "pdu-b"]


def test_when_others_poll_its_devices_a_silent_collector_is_a_warning(hall: Hall) -> None:
    renew(hall, "west")
    for _ in range(12):
        hall.go(10)
        renew(hall, "east")
    assert (hall.active["west"].level, hall.active["west"].detail) == (1, "0")


@pytest.mark.parametrize(("offset_ms", "opens"), [(1_500, False), (1_600, True), (-1_600, True)])
def test_clocks_that_disagree_in_three_leases_running_are_an_alert(hall: Hall, offset_ms: int, opens: bool) -> None:
    """1 s and half the round trip of 1 s are allowed."""
    for _ in range(2):
        renew(hall, "west", offset_ms)
        hall.go(10)
    assert hall.active == {}
    renew(hall, "west", offset_ms)
    hall.go(0)
    evaluate(hall.stores, "me")
    assert list(hall.active) == ["west"] * opens
    if opens:
        (line,) = alert_lines(list_alerts(hall.stores, AlertFilter(), 10)[0])
        assert line.about == "The clock of collector west differs from the server's"
        word = "ahead" if offset_ms > 0 else "behind"
        assert (line.amount, line.rule) == (f"1.6\u2009s {word}, 1.5\u2009s allowed", "collector_clock")
