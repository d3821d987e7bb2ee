"""Alerts about collectors: those that do not renew their lease, and clocks that disagree with the server's."""

from __future__ import annotations

from collections.abc import Iterator

from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, RuleSettings, at
from app.domain.devices import allowed_offset_ms
from app.services.alerts.alert_context import AlertContext
from app.services.alerts.event_kinds import EVENT_AGE_MS
from app.store.devices import Collector

DISAGREEING_LEASES = 3
"""In how many leases in a row the clocks must disagree before that is an alert."""


def silent_collectors(context: AlertContext, _: RuleSettings) -> Iterator[AlertFinding]:
    """Find collectors that did not renew their lease, and did not give it back.

    It is critical if no other collector polls their devices.
    """
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
    """Return the devices whose collector is silent and that no other polls: nothing is known about them."""
    silent = [one.devices for one in context.collectors if is_silent(one, context.now_ms)]
    return frozenset[str]().union(*silent)
