"""Headroom of racks, and of the racks of a room or a site together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from app.domain.timeseries import Curve, add
from app.services.energy import RackPower, Source, rack_totals
from app.services.headroom.groups import racks_by, row_groups, row_of, row_subject
from app.services.headroom.headroom_row import (
    DerivedLoad,
    HeadroomContext,
    HeadroomRow,
    accuracy,
    by_power,
    derived_from,
    derived_load,
)
from app.services.headroom.minute_headroom import MinuteHeadroom
from app.store.facility import Rack


def rack_row(row: HeadroomRow, context: HeadroomContext, total: RackPower) -> HeadroomRow:
    """Return the row of a rack with its observed power."""
    return _row(row, context, [total])


def rooms(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for every room that has racks."""
    titles = {key: room.title for key, room in context.facility.rooms.items()}
    return _places(context, "room", titles, lambda rack: rack.room)


def rack_rows(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for every row of racks; the key is `ROOM/ROW`, or `ROW` outside of rooms."""
    facility = context.facility
    titles = {}
    for rack in facility.racks.values():
        if (key := row_of(rack)) is not None:
            room = facility.rooms.get(rack.room) if rack.room else None
            titles[key] = f"{room.title}, row {rack.row}" if room else f"row {rack.row}"
    return _places(context, "row", titles, row_of)


def sites(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for every site that has racks."""
    titles = {key: site.title for key, site in context.facility.sites.items()}
    return _places(context, "site", titles, lambda rack: rack.site)


def _places(
    context: HeadroomContext, kind: str, titles: Mapping[str, str], place_of: Callable[[Rack], str | None]
) -> list[HeadroomRow]:
    """Return the rows of places: the sum of their racks that have readings, against the capacity of all of them."""
    members = racks_by(context.facility, place_of)
    rows = []
    for key, racks in sorted(members.items()):
        capacity_w = _total(rack.capacity_w for rack in racks)
        rows.append(HeadroomRow(key=key, label=titles.get(key, key), rated_w=capacity_w, usable_w=capacity_w))
    if context.prefers_minutes(len(context.facility.racks)):
        tier = MinuteHeadroom(context)
        if kind == "row":  # rollups are kept of racks, not of rows
            return _in_minutes(context, tier, rows, members)
        return tier.held(kind, rows, [tier.of_racks(members[row.key]) for row in rows])
    keys = [rack.key for racks in members.values() for rack in racks]
    totals = rack_totals(context.stores, context.facility, keys, context.start_ms, context.end_ms)
    return [_row(row, context, [totals[rack.key] for rack in members[row.key]]) for row in rows]


def _in_minutes(
    context: HeadroomContext, tier: MinuteHeadroom, rows: Sequence[HeadroomRow], members: Mapping[str, Sequence[Rack]]
) -> list[HeadroomRow]:
    sums = context.sums(row_groups(context.stores, members, context.start_ms, context.end_ms))
    found = []
    for row in rows:
        source, infos = tier.of_racks(members[row.key])
        seen = context.observed(sums.get(row_subject(row.key), Curve.empty()))._replace(basis="minutes")
        found.append(by_power(row, seen, source, accuracy(infos), derived_from(infos)))
    return found


def _row(row: HeadroomRow, context: HeadroomContext, totals: Sequence[RackPower]) -> HeadroomRow:
    read = [one for one in totals if len(one.total)]
    sources = {source for one in read for source in _sources(one)}
    parts = [part for one in read for power in one.nodes.values() for part in power.parts]
    source = next(iter(sources)) if len(sources) == 1 else None
    seen = context.observed(add([one.total for one in read]))
    return by_power(row, seen, source, parts, _together(read, seen.max_at_ms))


def _together(totals: Sequence[RackPower], max_at_ms: int | None) -> DerivedLoad | None:
    found = [one for total in totals if (one := derived_load(total, max_at_ms))]
    if not found:
        return None
    spans = [one.max_over_ms for one in found if one.max_over_ms is not None]
    whole = len(found) == len(totals) and all(one.basis == "derived" for one in found)
    return DerivedLoad(
        "derived" if whole else "mixed", math.fsum(one.step_j for one in found), max(spans, default=None)
    )


def _sources(total: RackPower) -> set[Source | None]:
    return {"pdu"} if total.basis == "inlets" else {power.source for power in total.nodes.values()}


def _total(parts: Iterable[float | None]) -> float | None:
    """Return the sum; None unless every part is known."""
    known = list(parts)
    return math.fsum(part for part in known if part is not None) if None not in known else None
