"""Keeps the minute tier current: behind ingest, behind late readings, behind changes of the facility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.rollups import Minutes, minutes, together
from app.domain.timeseries import Curve, window
from app.services.invalidation import readings_changed
from app.services.rollups.minute_curves import Touched, UnchangedFacility, touched
from app.services.rollups.stores import RollupStores
from app.store.database import acquire_task_lock, reading, writing
from app.store.facility import Facility
from app.store.rollups import day_figures, first_reading, packed, patched, retired_before, save, save_days
from app.store.timeseries import Due, StaleRange, changes_due, clear, settle, stale_days, stale_ranges
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS

DAYS_AT_ONCE = 30
TASK = "minutes"
TURN_MS = 300_000


@dataclass(frozen=True)
class RollupStretch:
    """Minutes [start, end) of one day, and the devices whose readings changed there."""

    day_ms: int
    start_ms: int
    end_ms: int
    devices: frozenset[str]

    @property
    def is_whole_day(self) -> bool:
        """Whether no minute of the day stands outside."""
        return self.end_ms - self.start_ms >= DAY_MS


def refresh_minutes(stores: RollupStores, holder: str, days: int = DAYS_AT_ONCE) -> int:
    """Compute what is not up to date, today first, at most so many days; returns how many.

    One process at a time does it, `holder` by name; it stops between two days with the server.
    """
    if not _my_turn(stores, holder):
        return 0
    with reading(stores.engine) as connection:
        waiting = stale_days(connection)[:days]
    done = 0
    for day_ms in waiting:
        if stores.stopping.is_set() or not _after_readings(stores, holder, day_ms):
            return done
        done += 1
    return done + _after_changes(stores, holder, days - done)


def _my_turn(stores: RollupStores, holder: str) -> bool:
    with writing(stores.engine) as connection:
        return acquire_task_lock(connection, TASK, holder, stores.now_ms(), TURN_MS)


def _after_readings(stores: RollupStores, holder: str, day_ms: int) -> bool:
    """A day's marks; False when the turn went to somebody else."""
    with reading(stores.engine) as connection:
        found = stale_ranges(connection, day_ms)
    is_whole = day_ms >= _first_whole_day(stores)
    for stretch in _stretches(found):
        # told when they came, too; but the server may have died between storing and telling
        readings_changed(stores, stretch.devices, stretch.start_ms, stretch.end_ms)
        if is_whole and not _store(stores, holder, stretch, _compute(stores, stretch)):
            return False
    with writing(stores.engine) as connection:
        clear(connection, found)
    return True


def _stretches(found: Sequence[StaleRange]) -> Iterable[RollupStretch]:
    """Devices whose marks begin in the same hour are computed together: one that is late costs the others nothing."""
    hours: dict[int, list[StaleRange]] = defaultdict(list)
    for mark in found:
        hours[mark.from_ms // HOUR_MS].append(mark)
    for _, together_ in sorted(hours.items()):
        start_ms = min(m.from_ms for m in together_) // MINUTE_MS * MINUTE_MS
        end_ms = -(max(m.to_ms for m in together_) // -MINUTE_MS) * MINUTE_MS
        yield RollupStretch(together_[0].day_ms, start_ms, end_ms, frozenset(m.device for m in together_))


def _after_changes(stores: RollupStores, holder: str, days: int) -> int:
    """Bring changes of the facility to the minutes they concern, day by day from the first; returns how many days."""
    with reading(stores.engine) as connection:
        due = changes_due(connection)
        if not due:
            return 0
        devices = _concerned(stores, due)
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
    """Days before it are kept as they are: not all readings they were made of are there any more."""
    return retired_before(stores.engine, ("power", "electrical"))


def _settle(stores: RollupStores, due: Sequence[Due], due_ms: int | None) -> None:
    with writing(stores.engine) as connection:
        settle(connection, due[-1].id, due_ms)


def _only_creations(due: Sequence[Due]) -> bool:
    return all(change.action == "create" for change in due)


def _concerned(stores: RollupStores, due: Sequence[Due]) -> frozenset[str]:
    """Devices that may tell of what changed: of a new device its own, of a new node those of its rack, else all."""
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
    """What tells of a node and of the others in its rack: without readings of the new one the rack has none."""
    node = facility.nodes.get(key)
    nodes = {key} | ({n.key for n in facility.nodes_in(node.rack)} if node and node.rack else set())
    own = {d.key for d in facility.devices.values() if d.node in nodes}
    return own | {feed.device for node in nodes for feed in facility.powering(node)}


def _compute(stores: RollupStores, stretch: RollupStretch, blank: Iterable[str] = ()) -> dict[str, Minutes]:
    """The minutes of everything that the devices are part of; of `blank` those that are covered by nothing too."""
    edges = [stretch.start_ms, *stores.facility.moments(stretch.start_ms, stretch.end_ms), stretch.end_ms]
    what = Touched()
    for edge in edges[:-1]:
        what |= touched(stores.facility.at(edge), stretch.devices)
    pieces = [(a, b, _standing(stores, what, a, b)) for a, b in pairwise(edges)]
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
    """The racks that are read at some time of the day: those a room and a site are the sums of, all day long.

    None when they are others than the day's stored minutes were made of, so that the whole day is to be computed.
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


def _standing(stores: RollupStores, what: Touched, start_ms: int, end_ms: int) -> UnchangedFacility:
    """A stretch, seen with a minute around it as far as the facility was the same: cutting a curve changes its end."""
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
        if not acquire_task_lock(connection, TASK, holder, stores.now_ms(), TURN_MS):
            return False
        save(connection, stretch.day_ms, rows)
        save_days(connection, stretch.day_ms, figures)
    return True
