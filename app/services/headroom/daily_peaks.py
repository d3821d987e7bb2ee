"""The maximum of each past day of racks, rooms, rows, feeds and PDUs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.services.headroom.groups import (
    feed_groups,
    feed_subject,
    pdu_subject,
    pdus_by_feed,
    rack_subject,
    racks_by,
    room_subject,
    row_groups,
    row_of,
    row_subject,
)
from app.services.headroom.member_sums import sums_of_days
from app.services.headroom.stores import HeadroomStores
from app.store.facility import Facility
from collectors.contract import DAY_MS

DailyMax = Sequence[float | None]


@dataclass(frozen=True)
class DailyPeaks:
    """The maximum of each of some whole UTC days by key, oldest first; None where not known [W].

    Those of rows and feeds are of the means of minutes, the others of readings. `pdus`: all devices.
    """

    racks: Mapping[str, DailyMax]
    rooms: Mapping[str, DailyMax]
    rows: Mapping[str, DailyMax]
    feeds: Mapping[str, DailyMax]
    pdus: Mapping[str, DailyMax]


def daily_peaks(stores: HeadroomStores, facility: Facility, end_ms: int, days: int) -> DailyPeaks:
    """Return the maxima of the last whole days before a time, with the rows and feeds of this facility."""
    last_ms = end_ms // DAY_MS * DAY_MS
    wanted = range(last_ms - days * DAY_MS, last_ms, DAY_MS)
    rows, feeds = racks_by(facility, row_of), pdus_by_feed(facility)
    kinds = [
        {key: rack_subject(key) for key in facility.racks},
        {key: room_subject(key) for key in racks_by(facility, lambda rack: rack.room)},
        {key: row_subject(key) for key in rows},
        {key: feed_subject(key) for key in feeds},
        {device.key: pdu_subject(device.key) for device in facility.devices.values()},
    ]
    found = stores.minutes.day_peaks([s for kind in kinds for s in kind.values()], wanted.start, wanted.stop)
    groups = {
        **row_groups(stores, rows, wanted.start, wanted.stop),
        **feed_groups(stores, feeds, wanted.start, wanted.stop),
    }
    for subject, sums in sums_of_days(stores, groups, wanted).items():
        found[subject] = {day: one.max_v for day, one in sums.items() if one.max_v is not None}
    return DailyPeaks(
        *({key: [found.get(s, {}).get(day) for day in wanted] for key, s in kind.items()} for kind in kinds)
    )
