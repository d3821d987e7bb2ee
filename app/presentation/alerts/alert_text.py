"""Alerts as text: what is wrong, what to do, and the page to look at."""

from __future__ import annotations

from urllib.parse import quote

from app.domain.alerts import Alert
from app.domain.checks import Cause
from app.presentation.checks import cause_text
from app.presentation.devices import REFUSAL_REASONS as REFUSED
from app.presentation.text import THIN, bound_kw, duration, floored, kw, limit_kw, missing_names, num
from app.services.alerts import ALL_STOPPED

_EVENTS = {
    "overload": "reports an overload",
    "near_overload": "reports that it is near overload",
    "breaker_open": "reports an open breaker",
    "feed_lost": "reports a lost feed",
    "on_battery": "runs on battery",
    "battery_low": "reports a low battery",
    "on_bypass": "is on bypass",
    "outlet_off": "reports that an outlet is off",
    "output_off": "reports that its output is off",
    "voltage_low": "reports low voltage",
    "redundancy_lost": "reports that redundancy is lost",
    "alarm": "reports an alarm",
}
_TODO = {
    "circuit_load": "Move load to another line or PDU, or cap the nodes here. At the breaker's rating it may trip.",
    "failover": "Both feeds carry too much together: move load to another rack, or cap the nodes so that one failing "
    "feed does not trip the other.",
    "rack_load": "Start no more jobs here; move or cap the running ones. At its capacity the rack may lose power.",
    "device_silent": "Check that the collector can reach it and that it has power. Its readings are missing "
    "meanwhile, not zero.",
    "collector_silent": "Check that the collector runs and reaches the server. It polls on and delivers everything "
    "when it is back.",
    "collector_clock": "Set both clocks by a time service (NTP). Readings have the time of the collector.",
    "meters_disagree": "Compare what is declared (cords, breakers, scales) with what is built; one of the meters may "
    "be wrong.",
    "inlet_temperature": "Check cooling and the containment of the cold aisle. At higher temperatures servers "
    "throttle or switch off.",
    "reading_refused": "Compare the device's own display with the value. If the value is real, declare the point "
    "signed or correct its rating; else the device reports it wrongly.",
    "feed_lost": "Check the breaker upstream and the PDUs of this feed: if the other feed fails too, the rack has no "
    "power.",
    "phase_imbalance": "Move single-phase loads to the line that carries least. The fullest line limits the PDU.",
    "data_quality": "Check network, time-out and interval: the energy over the missing polls is interpolated.",
    "energy_budget": "Agree with the project on a larger budget or fewer runs. Nothing is stopped.",
    "device_event": "Check the device; this alert ends when the device reports that the event is over.",
}


def title(alert: Alert) -> str:
    """Return the alert as one line."""
    return f"{about(alert)}: {amount(alert)}" if amount(alert) else about(alert)


def about(alert: Alert, *, recovering: bool = False) -> str:
    """Return what is wrong; `recovering`: what was, while it does not last long enough to end the alert."""
    place, _, rest = alert.subject.rpartition(":")
    point = alert.subject.partition("/")[2]
    match alert.rule:
        case "test":
            return "This is a test message"
        case "circuit_load":
            return f"{alert.device} {_point(point)} above its limit"
        case "failover":
            return f"{place} would trip a breaker if feed {rest} failed"
        case "feed_lost":
            return f"{place} has lost feed {rest}"
        case "phase_imbalance":
            return f"Phases of {alert.subject} out of balance"
        case "energy_budget":
            return f"Project {alert.subject.partition(':')[2]} close to its energy budget"
        case "data_quality":
            return f"Readings of {alert.subject} are missing"
        case "rack_load":
            return f"{alert.detail or alert.subject} close to its capacity"
        case "device_silent":
            if recovering:
                return f"{alert.subject} responds again"
            return f"{alert.subject} {'never responded' if alert.worst is None else 'stopped responding'}"
        case "collector_silent" if alert.subject == ALL_STOPPED:
            return "No collector runs"
        case "collector_silent":
            return f"Collector {alert.subject} is silent"
        case "collector_clock":
            return f"The clock of collector {alert.subject} differs from the server's"
        case "meters_disagree":
            return f"Meters of {place} disagree"
        case "reading_refused":
            series = place.partition("/")[2].replace(":", " ").replace("_", " ")
            return f"{alert.device} {series} is impossible"
        case "inlet_temperature":
            return f"{alert.device} {alert.detail or _point(point)} too warm"
        case _:
            named = place.partition("/")[2]
            where = f" ({_point(named)})" if named else ""
            return f"{alert.device}{where} {_EVENTS.get(rest, rest.replace('_', ' '))}"


def amount(alert: Alert, *, recovering: bool = False) -> str:
    """Return the value and its limit; '' without a value."""
    value, limit, unit = alert.value, alert.limit, alert.unit
    if alert.rule == "device_silent" and recovering:
        return "" if alert.worst is None else f"was silent for {duration(alert.worst)}"
    if value is None:
        return ""
    if alert.missing:
        return f"at least {_bound(alert, value)}, limit {_limit(alert)}"
    if alert.rule == "device_silent":
        return f"no reading for {duration(value)}"
    if alert.rule == "collector_silent":
        return f"no {'reading' if alert.subject == ALL_STOPPED else 'lease'} for {duration(value)}"
    if alert.rule == "collector_clock":
        return f"{num(value, 1)}{THIN}s {alert.detail}, {num(limit, 1)}{THIN}s allowed"
    if alert.rule == "energy_budget":
        return f"{num(value)}{THIN}% of this month's budget"
    if alert.rule == "feed_lost":
        return f"carries {num(value, 1)}{THIN}% of the power"
    if alert.rule == "rack_load":
        return f"{kw(value, 1)}, limit {limit_kw(limit or 0.0)}"
    if alert.rule == "meters_disagree":
        allowed = "" if limit is None else f", {num(limit)}{THIN}W allowed"
        return f"{num(value)}{THIN}W apart{allowed}"
    if alert.rule == "reading_refused":
        return f"{value:,.6g}{THIN}{unit}"
    digits = 0 if unit in ("VA", "W") else 1
    return f"{num(value, digits)}{THIN}{unit}, limit {num(limit, digits)}{THIN}{unit}"


def missing(alert: Alert) -> str:
    """Return which part of the value is missing; '' where it is complete, or missing as a whole."""
    keys = alert.missing.split(",") if alert.missing else []
    return missing_names(keys, len(keys))


def _bound(alert: Alert, value: float) -> str:
    return bound_kw(value) if alert.rule == "rack_load" else f"{floored(value, 0)}{THIN}{alert.unit}"


def _limit(alert: Alert) -> str:
    limit = alert.limit or 0.0
    return limit_kw(limit) if alert.rule == "rack_load" else f"{num(limit)}{THIN}{alert.unit}"


def reason(alert: Alert) -> str:
    """Return details: a cause, the message of the device."""
    if alert.rule == "failover" and alert.detail:
        return f"on {alert.detail}"
    if alert.rule == "circuit_load":
        return f"breaker {alert.detail}" if alert.detail else ""
    if alert.rule == "meters_disagree":
        return cause_text(Cause.decoded(alert.detail)) if alert.detail else ""
    if alert.rule == "reading_refused":
        return REFUSED.get(alert.detail, alert.detail)
    if alert.rule == "collector_silent" and alert.subject == ALL_STOPPED:
        return f"{alert.detail} device{'s' * (alert.detail != '1')} not polled"
    if alert.rule == "collector_silent":
        unpolled = int(alert.detail or 0)
        return (
            f"no collector polls its {unpolled} device{'s' * (unpolled != 1)}"
            if unpolled
            else "other collectors poll its devices"
        )
    return "" if alert.rule in ("inlet_temperature", "collector_clock", "rack_load") else alert.detail


def todo(alert: Alert) -> str:
    """Return the suggested action."""
    if alert.rule == "collector_silent" and alert.subject == ALL_STOPPED:
        return "Start a collector. What happened meanwhile is not measured, except by energy registers."
    return _TODO.get(alert.rule, "")


def href(alert: Alert) -> str:
    """Return the page that shows it."""
    if alert.rule == "test":
        return "/alerts"
    if alert.rule == "meters_disagree":
        return f"/checks?rack={quote(alert.rack)}" if alert.rack else "/checks"
    if alert.rule == "energy_budget":
        return f"/jobs?project={quote(alert.subject.partition(':')[2])}"
    if alert.rule in ("rack_load", "failover", "feed_lost", "circuit_load", "inlet_temperature") and alert.rack:
        return f"/racks/{quote(alert.rack)}"
    if alert.device:
        return f"/devices/{quote(alert.device)}"
    return f"/racks/{quote(alert.rack)}" if alert.rack else "/devices"


def _point(point: str) -> str:
    """Format a point: `inlet/l2` as `L2`, `bank/1` as `bank 1`."""
    last = point.rpartition("/")[2]
    return last.upper() if last[:1] == "l" and last[1:].isdigit() else point.replace("/", " ")
