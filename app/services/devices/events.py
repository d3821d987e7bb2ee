"""Events of devices: traps, restarts, outages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.models import TimeMs, sent_as
from app.services.devices.stores import DeviceStores
from app.store.devices import DeviceEvent
from app.store.facility import Facility

MOST = 200


@dataclass(frozen=True)
class EventLine:
    """One event: time, kind, severity, device, point ('' without one) and description."""

    t_ms: Annotated[TimeMs, sent_as("t")]
    kind: str
    severity: str
    device: str
    subject: str
    text: str


def events_of(
    stores: DeviceStores, devices: Sequence[str], start_ms: int, end_ms: int, limit: int = MOST
) -> list[EventLine]:
    """Return the events of some devices in [start, end), newest first."""
    return [event_line(e) for e in stores.health.events_of(devices, start_ms, end_ms, limit)] if devices else []


def event_line(event: DeviceEvent) -> EventLine:
    """Return an event with its description."""
    words = event.detail or event.kind.replace("_", " ")
    return EventLine(event.t_ms, event.kind, event.severity, event.device, event.subject, words)


def devices_in(facility: Facility, rack: str) -> list[str]:
    """Return the devices of a rack and of its nodes."""
    nodes = {n.key for n in facility.nodes_in(rack)}
    return [d.key for d in facility.devices.values() if d.rack == rack or d.node in nodes]
