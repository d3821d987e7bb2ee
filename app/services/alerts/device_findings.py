"""Alerts from device events that have not ended, and from meters that disagree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, RuleSettings, at
from app.domain.timeseries import is_current
from app.services.alerts.alert_context import AlertContext
from app.services.alerts.event_kinds import BEGUN_BY, ENDED_BY
from app.services.checks import Checked
from app.services.devices import lasting_refusals
from app.services.timeseries import GRACE_MS
from app.store.devices import DeviceEvent

LEAST_REFUSED = 10
"""How many readings in a row must be refused before that is an alert."""


def active_events(context: AlertContext, _: RuleSettings) -> Iterator[AlertFinding]:
    """Find reported events that have not ended, and those that just ended."""
    for (device, subject, kind), (event, is_over) in unfinished_events(context.events).items():
        if (known := context.facility.devices.get(device)) is None:
            continue
        bad = at(AlertLevel.CRIT if event.severity in ("critical", "error") else AlertLevel.WARN)
        yield AlertFinding(
            subject=f"{device}/{subject}:{kind}" if subject else f"{device}:{kind}",
            grade=CLEAR if is_over else bad,
            t_ms=context.now_ms,
            began_ms=event.t_ms,
            detail=event.detail,
            device=device,
            rack=known.rack,
            node=known.node,
        )


def unfinished_events(events: Sequence[DeviceEvent]) -> dict[tuple[str, str, str], tuple[DeviceEvent, bool]]:
    """Return by (device, place, kind) the first event since it last ended, and whether it has ended; oldest first.

    An end that names no place ends that kind everywhere on the device.
    """
    found: dict[str, dict[tuple[str, str], tuple[DeviceEvent, bool]]] = defaultdict(dict)
    for event in events:
        mine = found[event.device]
        key = event.subject, event.kind
        if event.kind in ENDED_BY and (key not in mine or mine[key][1]):
            mine[key] = event, False
        ends = BEGUN_BY.get(event.kind, ())
        for place, kind in [each for each in mine if each[1] in ends and event.subject in ("", each[0])]:
            mine[place, kind] = mine[place, kind][0], True
    return {(device, *key): state for device, mine in found.items() for key, state in mine.items()}


def lasting_refused(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Find series whose readings are still refused, and have been for some time."""
    assert settings.warn is not None
    for one in lasting_refusals(context.refused, 1000.0 * settings.warn, LEAST_REFUSED):
        known = context.facility.devices.get(one.device)
        if known is None or not is_current(one.last_ms, context.now_ms, one.max_gap_ms + GRACE_MS):
            continue
        yield AlertFinding(
            subject=f"{one.device}/{one.point}:{one.quantity}:{one.reason}",
            grade=at(AlertLevel.WARN),
            t_ms=context.now_ms,
            began_ms=one.since_ms,
            value=one.value,
            unit=one.unit,
            detail=one.reason,
            device=one.device,
            rack=known.rack,
            node=known.node,
        )


def disagreements(context: AlertContext, _: RuleSettings) -> Iterator[AlertFinding]:
    """Find cross-checks of the last hour that disagree or cannot be evaluated."""
    for check in context.checks:
        yield _disagreement(context, check)


def _disagreement(context: AlertContext, check: Checked) -> AlertFinding:
    owner = check.subject.partition("/")[0]
    is_device = owner in context.facility.devices
    wrong = {"disagrees": at(AlertLevel.WARN), "agrees": CLEAR}.get(check.verdict)
    return AlertFinding(
        subject=f"{check.subject}:{check.kind}",
        grade=wrong,
        t_ms=context.now_ms,
        value=None if check.difference_w is None else abs(check.difference_w),
        limit=check.tolerance_w,
        unit="W",
        detail=check.cause.encoded() if check.cause else "",
        device=owner if is_device else None,
        rack=check.rack,
        node=owner if owner in context.facility.nodes else None,
    )
