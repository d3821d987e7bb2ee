"""Rows of racks and feeds of PDUs: which racks and PDUs add up to them, and the subjects of their sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from app.services.headroom.member_sums import Groups
from app.services.headroom.stores import HeadroomStores
from app.store.facility import Device, Facility, Rack


def row_of(rack: Rack) -> str | None:
    """Return the key of the row of a rack, `ROOM/ROW`, or `ROW` outside of rooms; None if it is in no row."""
    return "/".join(part for part in (rack.room, rack.row) if part) if rack.row else None


def racks_by(facility: Facility, place_of: Callable[[Rack], str | None]) -> dict[str, list[Rack]]:
    """Return the racks of each place."""
    found: dict[str, list[Rack]] = {}
    for rack in facility.racks.values():
        if (place := place_of(rack)) is not None:
            found.setdefault(place, []).append(rack)
    return found


_PLACES: Mapping[str, Callable[[Rack], str | None]] = {
    "rack": lambda rack: rack.key,
    "row": row_of,
    "room": lambda rack: rack.room,
    "site": lambda rack: rack.site,
}


def racks_of_places(facility: Facility, level: str) -> dict[str, list[str]]:
    """Return the racks of every rack, row, room or site; nothing of another level."""
    places = racks_by(facility, _PLACES[level]) if level in _PLACES else {}
    return {place: [rack.key for rack in racks] for place, racks in places.items()}


def row_groups(stores: HeadroomStores, racks: Mapping[str, Sequence[Rack]], start_ms: int, end_ms: int) -> Groups:
    """Return the racks with readings in the window that add up to each row; a row without any is missing."""
    subjects = {row: [rack_subject(rack.key) for rack in each] for row, each in racks.items()}
    measured = stores.minutes.measured([one for each in subjects.values() for one in each], start_ms, end_ms)
    groups = {row_subject(row): [one for one in each if one in measured] for row, each in subjects.items()}
    return {subject: members for subject, members in groups.items() if members}


def pdus_by_feed(facility: Facility) -> dict[str, list[Device]]:
    """Return the PDUs of each feed, `ROOM/FEED`, or `FEED` outside of rooms."""
    found: dict[str, list[Device]] = {}
    for device in facility.devices.values():
        if device.kind == "pdu" and (key := facility.feed_of(device)):
            found.setdefault(key, []).append(device)
    return found


def feed_groups(stores: HeadroomStores, pdus: Mapping[str, Sequence[Device]], start_ms: int, end_ms: int) -> Groups:
    """Return the PDUs that add up to each feed; a feed is missing unless all were read in the window."""
    groups = {feed_subject(feed): [pdu_subject(pdu.key) for pdu in each] for feed, each in pdus.items()}
    measured = stores.minutes.measured([one for each in groups.values() for one in each], start_ms, end_ms)
    return {subject: members for subject, members in groups.items() if measured.issuperset(members)}


def rack_subject(rack: str) -> str:
    """Return the subject of the power of a rack."""
    return f"rack/{rack}:power"


def row_subject(row: str) -> str:
    """Return the subject of the sum of a row."""
    return f"row/{row}:power"


def feed_subject(feed: str) -> str:
    """Return the subject of the sum of a feed."""
    return f"feed/{feed}:power"


def pdu_subject(pdu: str) -> str:
    """Return the subject of the power of a PDU."""
    return f"pdu/{pdu}:power"


def room_subject(room: str) -> str:
    """Return the subject of the power of a room."""
    return f"room/{room}:power"
