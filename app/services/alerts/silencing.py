"""Silences and maintenance windows: add, end, list. Close an event by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.alerts import RULES, Silence
from app.errors import Conflict, Invalid, NotFound
from app.services.alerts.event_kinds import BY_HAND
from app.services.alerts.stores import AlertStores
from app.store.alerts import StoredAlert
from app.store.devices import DeviceEvent
from collectors.contract import DAY_MS

LONGEST_MS = 366 * DAY_MS


@dataclass(frozen=True)
class NewSilence:
    """A silence to add: what it is about, from when (None: now) until when, who makes it, and why."""

    end_ms: int
    made_by: str
    note: str = ""
    start_ms: int | None = None
    rule: str | None = None
    rack: str | None = None
    device: str | None = None
    node: str | None = None


def silences_now(stores: AlertStores) -> Sequence[Silence]:
    """Return the silences that apply now or later."""
    return stores.silences.ending_after(stores.now_ms())


def add_silence(stores: AlertStores, new: NewSilence) -> Silence:
    """Add a silence.

    Raises
    ------
    Invalid
        It ends before it starts or is already over, lasts longer than a year, or names something unknown.
    """
    now_ms = stores.now_ms()
    start_ms = now_ms if new.start_ms is None else new.start_ms
    if new.end_ms <= max(start_ms, now_ms):
        raise Invalid("the silence ends before it begins", "give an `end` after `start` and after now", code="bad_end")
    if new.end_ms - start_ms > LONGEST_MS:
        raise Invalid("the silence lasts longer than a year", "give an earlier `end`", code="bad_end")
    facility = stores.facility.at(now_ms)
    known = {"rule": RULES, "rack": facility.racks, "device": facility.devices, "node": facility.nodes}
    for name, keys in known.items():
        key = getattr(new, name)
        if key is not None and key not in keys:
            raise Invalid(f"{name}: there is no {name} {key!r}", f"give the key of a {name}", code="bad_silence")
    return stores.silences.add(
        Silence(0, start_ms, new.end_ms, new.made_by, new.note, new.rule, new.rack, new.device, new.node)
    )


def end_silence(stores: AlertStores, id_: int) -> Silence:
    """End a silence now; one that has not begun never applies.

    Raises
    ------
    NotFound, Conflict
        There is no such silence; it is over.
    """
    found, now_ms = stores.silences.get(id_), stores.now_ms()
    if found is None:
        raise NotFound(f"there is no silence {id_}", "GET /api/v1/alerts/silences lists them", code="no_such_silence")
    if found.end_ms <= now_ms:
        raise Conflict(f"silence {id_} is over", "GET /api/v1/alerts/silences lists those that apply")
    stores.silences.end(id_, max(now_ms, found.start_ms))
    ended = stores.silences.get(id_)
    assert ended is not None
    return ended


def close_event(stores: AlertStores, id_: int, by: str, note: str) -> StoredAlert:
    """End the alert of a device event whose end the device did not report; the same event may open another one.

    Raises
    ------
    NotFound, Conflict
        There is no such alert; it has ended, or is not about a device event.
    """
    stored = stores.alerts.get(id_)
    if stored is None:
        raise NotFound(f"there is no alert {id_}", "GET /api/v1/alerts lists them")
    alert = stored.alert
    if alert.rule != "device_event":
        hint = "it ends when its cause is over; silence it to be sent no more of it"
        raise Conflict(f"alert {id_} is not about an event of a device", hint, code="not_an_event")
    place, _, kind = alert.subject.rpartition(":")
    why = f"closed by {by}{f': {note}' if note else ''}"
    now_ms = stores.now_ms()
    if not stores.alerts.close(id_, now_ms, why):
        raise Conflict(f"alert {id_} has already ended", "there is nothing left to do")
    event = DeviceEvent(now_ms, kind + BY_HAND, alert.device or "", place.partition("/")[2], "info", why)
    stores.health.record_events([event])
    found = stores.alerts.get(id_)
    assert found is not None
    return found
