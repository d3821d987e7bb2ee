"""What devices told of themselves and is not over, and which meters contradict each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, RuleSettings, at
from app.domain.timeseries import TimeWindow
from app.services.alerts.findings import AlertContext
from app.services.checks import Checked, cross_checks
from app.store.devices import DeviceEvent
from collectors.contract import DAY_MS, HOUR_MS

REMEMBERED_MS = 7 * DAY_MS
"""How long something told is held to be so if nothing says that it is over: a notification may be lost."""
OVER: Mapping[str, tuple[str, ...]] = {
    "overload": ("overload_cleared", "load_normal"),
    "near_overload": ("near_overload_cleared", "overload_cleared", "load_normal"),
    "breaker_open": ("breaker_closed",),
    "feed_lost": ("feed_back",),
    "on_battery": ("on_mains",),
    "battery_low": ("battery_normal", "on_mains"),
    "on_bypass": ("bypass_over",),
    "outlet_off": ("outlet_on",),
    "output_off": ("output_on",),
    "voltage_low": ("voltage_normal",),
    "redundancy_lost": ("redundancy_back",),
    "alarm": ("alarm_cleared",),
}
"""Kind of event → the kinds that say it is over, as the device profiles name them."""
_BEGINS: Mapping[str, tuple[str, ...]] = {
    over: tuple(kind for kind, names in OVER.items() if over in names) for names in OVER.values() for over in names
}


def told(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """What devices told and is not over, and what just ended."""
    del settings  # it has no thresholds
    start_ms = look.now_ms - REMEMBERED_MS
    events = look.stores.health.events_among([*OVER, *_BEGINS], start_ms, look.now_ms + 1)
    for (device, subject, kind), (event, is_over) in standing(events).items():
        if (known := look.facility.devices.get(device)) is None:
            continue
        bad = at(AlertLevel.CRIT if event.severity in ("critical", "error") else AlertLevel.WARN)
        yield AlertFinding(
            subject=f"{device}/{subject}:{kind}" if subject else f"{device}:{kind}",
            grade=CLEAR if is_over else bad,
            t_ms=look.now_ms,
            began_ms=event.t_ms,
            detail=event.detail,
            device=device,
            rack=known.rack,
            node=known.node,
        )


def standing(events: Sequence[DeviceEvent]) -> dict[tuple[str, str, str], tuple[DeviceEvent, bool]]:
    """(device, place, kind) → the first event since it was last over, and whether it is over now. Oldest event first.

    An end that names no place ends that kind everywhere on the device.
    """
    found: dict[str, dict[tuple[str, str], tuple[DeviceEvent, bool]]] = defaultdict(dict)
    for event in events:
        mine = found[event.device]
        key = event.subject, event.kind
        if event.kind in OVER and (key not in mine or mine[key][1]):
            mine[key] = event, False
        ends = _BEGINS.get(event.kind, ())
        for place, kind in [each for each in mine if each[1] in ends and event.subject in ("", each[0])]:
            mine[place, kind] = mine[place, kind][0], True
    return {(device, *key): state for device, mine in found.items() for key, state in mine.items()}


def disagreements(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """The checks of the last hour: what disagrees, and what cannot be told."""
    del settings
    checks = cross_checks(look.stores, TimeWindow(look.now_ms - HOUR_MS, look.now_ms))
    for one in checks.items:
        yield _disagreement(look, one)


def _disagreement(look: AlertContext, one: Checked) -> AlertFinding:
    owner = one.subject.partition("/")[0]
    is_device = owner in look.facility.devices
    wrong = {"disagrees": at(AlertLevel.WARN), "agrees": CLEAR}.get(one.verdict)
    return AlertFinding(
        subject=f"{one.subject}:{one.kind}",
        grade=wrong,
        t_ms=look.now_ms,
        value=None if one.difference_w is None else abs(one.difference_w),
        limit=one.tolerance_w,
        unit="W",
        detail=one.cause.text if one.cause else "",
        device=owner if is_device else None,
        rack=one.rack,
        node=owner if owner in look.facility.nodes else None,
    )
