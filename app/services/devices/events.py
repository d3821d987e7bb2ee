"""What happened to devices, as lines for people: traps, restarts, lost and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.services.devices.stores import DeviceStores
from app.store.devices import DeviceEvent
from app.store.facility import Facility

MOST = 200


@dataclass(frozen=True)
class EventLine:
    """One event: when, what kind, how bad, of which device, about which point ('' where it names none), in words."""

    t_ms: int
    kind: str
    severity: str
    device: str
    subject: str
    text: str


def events_of(
    stores: DeviceStores, devices: Sequence[str], start_ms: int, end_ms: int, limit: int = MOST
) -> list[EventLine]:
    """The events of some devices in [start, end), newest first."""
    return [event_line(e) for e in stores.health.events_of(devices, start_ms, end_ms, limit)] if devices else []


def event_line(event: DeviceEvent) -> EventLine:
    """An event in words."""
    words = event.detail or event.kind.replace("_", " ")
    return EventLine(event.t_ms, event.kind, event.severity, event.device, event.subject, words)


def devices_in(facility: Facility, rack: str) -> list[str]:
    """The devices that stand in a rack, or belong to a node there."""
    nodes = {n.key for n in facility.nodes_in(rack)}
    return [d.key for d in facility.devices.values() if d.rack == rack or d.node in nodes]
