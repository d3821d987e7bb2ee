"""Kinds of device events that alerts begin and end with."""

from __future__ import annotations

from collections.abc import Mapping

from collectors.contract import DAY_MS

EVENT_AGE_MS = 7 * DAY_MS
"""How long an event counts if no other event ends it: a notification may be lost."""
BY_HAND = "_closed_by_hand"
"""Suffix of the kind of event that a user closed."""
_ENDED_BY: Mapping[str, tuple[str, ...]] = {
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
ENDED_BY: Mapping[str, tuple[str, ...]] = {kind: (*ends, kind + BY_HAND) for kind, ends in _ENDED_BY.items()}
"""Kind of event → the kinds that end it, as the device profiles name them, and that it was closed by hand."""
EVENT_KINDS = tuple(dict.fromkeys([*ENDED_BY, *(kind for kinds in ENDED_BY.values() for kind in kinds)]))
BEGUN_BY: Mapping[str, tuple[str, ...]] = {
    end: tuple(kind for kind, ends in ENDED_BY.items() if end in ends) for ends in ENDED_BY.values() for end in ends
}
"""Kind of event → the kinds that it ends."""
