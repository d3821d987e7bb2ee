"""Alerts about collectors: those that do not renew their lease, and clocks that disagree with the server's."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, RuleSettings, at
from app.domain.devices import allowed_offset_ms
from app.services.alerts.alert_context import AlertContext
from app.services.alerts.event_kinds import EVENT_AGE_MS
from app.store.devices import Collector

ALL_STOPPED = "*"
"""Subject of the alert that no collector runs; no collector has this name."""
DISAGREEING_LEASES = 3
"""In how many leases in a row the clocks must disagree before that is an alert."""


def silent_collectors(context: AlertContext, _: RuleSettings) -> Iterator[AlertFinding]:
    """Find collectors that did not renew their lease, and did not give it back.

    It is critical if no other collector polls their devices. Devices that the last collector gave back when it stopped
    are one more finding.
    """
    yield from _all_stopped(context)
    for one in context.collectors:
        silent = is_silent(one, context.now_ms)
        left = one.devices & context.facility.devices.keys()
        yield AlertFinding(
            subject=one.name,
            grade=at(AlertLevel.CRIT if left else AlertLevel.WARN) if silent else CLEAR,
            t_ms=context.now_ms,
            began_ms=one.state.seen_ms if silent else None,
            value=(context.now_ms - one.state.seen_ms) / 1000 if silent else None,
            limit=one.state.lease_ms / 1000,
            unit="s",
            detail=str(len(left)),
        )


def _all_stopped(context: AlertContext) -> Iterator[AlertFinding]:
    left = _given_back(context)
    since_ms = [one.since_ms for one in context.silent if one.key in left and one.since_ms is not None]
    if since_ms:
        began_ms, age_s = min(since_ms), (context.now_ms - min(since_ms)) / 1000
        grade, detail = at(AlertLevel.CRIT), str(len(left))
        yield AlertFinding(ALL_STOPPED, grade, context.now_ms, began_ms, age_s, None, "s", detail)
    elif ALL_STOPPED in context.unfinished:
        yield AlertFinding(ALL_STOPPED, CLEAR, context.now_ms)


def _given_back(context: AlertContext) -> frozenset[str]:
    """Return the silent devices that the last collector gave back; empty while one runs, which has them soon."""
    if any(one.state.is_live(context.now_ms) for one in context.collectors):
        return frozenset()
    return context.given_back & {one.key for one in context.silent}


def clocks(context: AlertContext, _: RuleSettings) -> Iterator[AlertFinding]:
    """Find collectors whose clock and the server's disagreed in several leases in a row."""
    for one in context.collectors:
        if one.offset_ms is not None and one.state.is_live(context.now_ms):
            yield AlertFinding(
                subject=one.name,
                grade=at(AlertLevel.WARN) if one.disagreeing >= DISAGREEING_LEASES else CLEAR,
                t_ms=context.now_ms,
                value=abs(one.offset_ms) / 1000,
                limit=allowed_offset_ms(one.round_trip_ms) / 1000,
                unit="s",
                detail="ahead" if one.offset_ms > 0 else "behind",
            )


def is_silent(one: Collector, now_ms: int) -> bool:
    """Return whether a collector did not renew its lease; one that left long ago does not count any more."""
    return not one.state.is_live(now_ms) and 0 <= now_ms - one.state.seen_ms <= EVENT_AGE_MS


def left_alone(context: AlertContext) -> frozenset[str]:
    """Return the devices whose collector is silent or stopped and that no other polls: nothing is known about them."""
    silent = [one.devices for one in context.collectors if is_silent(one, context.now_ms)]
    return _given_back(context).union(*silent)
