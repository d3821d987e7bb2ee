"""Keep minute rollups up to date after new readings, late readings and changes of the facility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.domain.energy import LONGEST_MS
from app.domain.rollups import Minutes, minutes, together
from app.domain.timeseries import Curve, window
from app.services.energy import registers_only
from app.services.invalidation import readings_changed
from app.services.rollups.minute_curves import Affected, UnchangedFacility, affected
from app.services.rollups.stores import RollupStores
from app.store.database import acquire_task_lock, reading, writing
from app.store.facility import Facility
from app.store.rollups import day_figures, first_reading, packed, patched, retired_before, save, save_days
from app.store.timeseries import Due, StaleRange, changes_due, clear, settle, stale_days, stale_ranges
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS

DAYS_AT_ONCE = 30
TASK = "minutes"
LOCK_MS = 300_000


@dataclass(frozen=True)
class RollupStretch:
    """Minutes [start, end) of one day, and the devices whose readings changed in them."""

    day_ms: int
    start_ms: int
    end_ms: int
    devices: frozenset[str]

    @property
    def is_whole_day(self) -> bool:
        """Whether it covers every minute of the day."""
        return self.end_ms - self.start_ms >= DAY_MS


def refresh_minutes(stores: RollupStores, holder: str, days: int = DAYS_AT_ONCE) -> int:
    """Compute at most `days` days that are out of date, today first, and return how many.

    One process at a time does so, `holder` by name. It stops between two days when the server stops.
    """
    if not _acquire_lock(stores, holder):
        return 0
    with reading(stores.engine) as connection:
        waiting = stale_days(connection)[:days]
    done = 0
    for day_ms in waiting:
        if stores.stopping.is_set() or not _after_readings(stores, holder, day_ms):
            return done
        done += 1
    return done + _after_changes(stores, holder, days - done)


def _acquire_lock(stores: RollupStores, holder: str) -> bool:
    with writing(stores.engine) as connection:
        return acquire_task_lock(connection, TASK, holder, stores.now_ms(), LOCK_MS)


def _after_readings(stores: RollupStores, holder: str, day_ms: int) -> bool:
    """Compute the stale ranges of a day; return False if another process took over."""
    with reading(stores.engine) as connection:
        found = stale_ranges(connection, day_ms)
    is_whole = day_ms >= _first_whole_day(stores)
    for stretch in (_with_spans(stores, one) for one in _stretches(found)):
        # Ingest invalidates too, but the server may have died between storing and invalidating.
        readings_changed(stores, stretch.devices, stretch.start_ms, stretch.end_ms)
        if is_whole and not _store(stores, holder, stretch, _compute(stores, stretch)):
            return False
    with writing(stores.engine) as connection:
        clear(connection, found)
    return True


def _stretches(found: Sequence[StaleRange]) -> Iterable[RollupStretch]:
    """Group stale ranges by the hour they begin in, so that late devices do not widen the others."""
    hours: dict[int, list[StaleRange]] = defaultdict(list)
    for stale in found:
        hours[stale.from_ms // HOUR_MS].append(stale)
    for _, ranges in sorted(hours.items()):
        start_ms = min(m.from_ms for m in ranges) // MINUTE_MS * MINUTE_MS
        end_ms = -(max(m.to_ms for m in ranges) // -MINUTE_MS) * MINUTE_MS
        yield RollupStretch(ranges[0].day_ms, start_ms, end_ms, frozenset(m.device for m in ranges))


def _with_spans(stores: RollupStores, stretch: RollupStretch) -> RollupStretch:
    """Return the stretch with all of the quarters of an hour it touches if power is derived from a register there: a
    reading changes the spans of its quarter.
    """
    if not registers_only(stores.frames.series(stretch.devices), lambda _: True):
        return stretch
    start_ms = stretch.start_ms // LONGEST_MS * LONGEST_MS
    return replace(stretch, start_ms=start_ms, end_ms=-(stretch.end_ms // -LONGEST_MS) * LONGEST_MS)


def _after_changes(stores: RollupStores, holder: str, days: int) -> int:
    """Compute minutes affected by changes of the facility, day by day from the first; return how many days."""
    with reading(stores.engine) as connection:
        due = changes_due(connection)
        if not due:
            return 0
        devices = _affected_devices(stores, due)
        first_ms = first_reading(connection, devices)
    end_ms = -(stores.now_ms() // -MINUTE_MS) * MINUTE_MS
    first_ms = end_ms if first_ms is None else max(first_ms, _first_whole_day(stores))
    start_ms = max(min(change.due_ms for change in due), first_ms)
    done = 0
    while start_ms < end_ms and done < days and not stores.stopping.is_set():
        day_ms = start_ms // DAY_MS * DAY_MS
        part = RollupStretch(day_ms, start_ms // MINUTE_MS * MINUTE_MS, min(end_ms, day_ms + DAY_MS), devices)
        blank = [] if _only_creations(due) else stores.minutes.known(day_ms)
        if not _store(stores, holder, part, _compute(stores, part, blank)):
            return done
        start_ms, done = day_ms + DAY_MS, done + 1
        _settle(stores, due, start_ms)
    if start_ms >= end_ms:
        _settle(stores, due, None)
    return done


def _first_whole_day(stores: RollupStores) -> int:
    """Return the first day whose readings are all still stored; earlier rollups are not recomputed."""
    return retired_before(stores.engine, ("power", "electrical"))


def _settle(stores: RollupStores, due: Sequence[Due], due_ms: int | None) -> None:
    with writing(stores.engine) as connection:
        settle(connection, due[-1].id, due_ms)


def _only_creations(due: Sequence[Due]) -> bool:
    return all(change.action == "create" for change in due)


def _affected_devices(stores: RollupStores, due: Sequence[Due]) -> frozenset[str]:
    """Return devices affected by changes: a new device itself, for a new node those of its rack, else all."""
    facility = stores.facility.now()
    found: set[str] = set()
    for change in due:
        if change.action == "create" and change.kind == "device":
            found.add(change.key)
        elif change.action == "create" and change.kind == "node":
            found |= _devices_beside(facility, change.key)
        else:
            return frozenset(facility.devices) | frozenset(stores.facility.at(change.due_ms).devices)
    return frozenset(found)


def _devices_beside(facility: Facility, key: str) -> set[str]:
    """Return the devices of a node and of its rack: a rack has no sum while one of its nodes has no readings."""
    node = facility.nodes.get(key)
    nodes = {key} | ({n.key for n in facility.nodes_in(node.rack)} if node and node.rack else set())
    own = {d.key for d in facility.devices.values() if d.node in nodes}
    return own | {feed.device for node in nodes for feed in facility.powering(node)}


def _compute(stores: RollupStores, stretch: RollupStretch, blank: Iterable[str] = ()) -> dict[str, Minutes]:
    """Return the minutes of everything the devices contribute to; for `blank` subjects also uncovered minutes."""
    edges = [stretch.start_ms, *stores.facility.moments(stretch.start_ms, stretch.end_ms), stretch.end_ms]
    what = Affected()
    for edge in edges[:-1]:
        what |= affected(stores.facility.at(edge), stretch.devices)
    pieces = [(a, b, _unchanged(stores, what, a, b)) for a, b in pairwise(edges)]
    counted = _counted(stores, stretch, pieces)
    if counted is None:
        whole = RollupStretch(stretch.day_ms, stretch.day_ms, stretch.day_ms + DAY_MS, stretch.devices)
        return _compute(stores, whole, blank)
    empty = Minutes.blank(stretch.start_ms, stretch.end_ms)
    found: dict[str, list[Minutes]] = {subject: [empty] for subject in blank}
    for a, b, one in pieces:
        for subject, curve in (one.curves() | one.sums(counted)).items():
            found.setdefault(subject, []).append(_inside(curve, a, b, stretch))
    return {subject: together(parts) for subject, parts in found.items()}


def _counted(
    stores: RollupStores, stretch: RollupStretch, pieces: Sequence[tuple[int, int, UnchangedFacility]]
) -> set[str] | None:
    """Return the racks with readings at any time of the day: rooms and sites are their sums all day.

    None if the stored minutes of the day are sums of other racks, so that the whole day must be computed.
    """
    read = {rack for a, b, one in pieces for rack, curve in one.racks.items() if len(window(curve, a, b))}
    silent = {rack for _, _, one in pieces for rack in one.racks} - read
    days = stores.minutes.days([f"rack/{rack}:power" for rack in read | silent], stretch.day_ms)
    before = {subject.removeprefix("rack/").removesuffix(":power") for subject in days}
    read |= {rack for rack in silent & before if _is_covered_outside(days[f"rack/{rack}:power"], stretch)}
    return read if read == before or stretch.is_whole_day else None


def _is_covered_outside(day: Minutes, stretch: RollupStretch) -> bool:
    outside = (day.t_ms + day.step_ms <= stretch.start_ms) | (day.t_ms >= stretch.end_ms)
    return bool(day.covered_ms[outside].any())


def _unchanged(stores: RollupStores, what: Affected, start_ms: int, end_ms: int) -> UnchangedFacility:
    """Return a time with a minute around it where the facility is the same: cutting a curve changes its end."""
    before = stores.facility.moments(start_ms - MINUTE_MS, start_ms + 1)
    after = stores.facility.moments(end_ms - 1, end_ms + MINUTE_MS)
    return UnchangedFacility(stores, what, max([start_ms - MINUTE_MS, *before]), min([end_ms + MINUTE_MS, *after]))


def _inside(curve: Curve, start_ms: int, end_ms: int, stretch: RollupStretch) -> Minutes:
    return minutes(window(curve, start_ms, end_ms), stretch.start_ms, stretch.end_ms)


def _store(stores: RollupStores, holder: str, stretch: RollupStretch, found: Mapping[str, Minutes]) -> bool:
    before = stores.minutes.days(list(found), stretch.day_ms)
    days = {s: patched(before.get(s), part, stretch.day_ms) for s, part in found.items()}
    rows = {s: packed(day) for s, day in days.items()}
    figures = {s: day_figures(day) for s, day in days.items()}
    with writing(stores.engine) as connection:
        if not acquire_task_lock(connection, TASK, holder, stores.now_ms(), LOCK_MS):
            return False
        save(connection, stretch.day_ms, rows)
        save_days(connection, stretch.day_ms, figures)
    return True
