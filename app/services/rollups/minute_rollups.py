"""Keep minute rollups up to date after new readings, late readings and changes of the facility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from app.domain.energy import LONGEST_MS
from app.domain.rollups import Minutes
from app.services.energy import registers_only
from app.services.invalidation import readings_changed
from app.services.rollups.rollup_parts import KNOWN, RollupStretch, RollupWork
from app.services.rollups.stores import RollupStores
from app.store.database import acquire_task_lock, reading, writing
from app.store.facility import Facility
from app.store.rollups import day_figures, decode_day, first_reading, packed, patched, retired_before, save, save_days
from app.store.timeseries import Due, StaleRange, changes_due, clear, settle, stale_days, stale_ranges
from collectors.contract import DAY_MS, HOUR_MS, MINUTE_MS

DAYS_AT_ONCE = 30
TASK = "minutes"
LOCK_MS = 300_000
SUBJECTS_AT_ONCE = 100
"""Days that are decoded and stored together: 6 MB."""


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
        readings_changed(stores, stores.facility.history(), stretch.devices, stretch.start_ms, stretch.end_ms)
        if is_whole and not _roll_up(stores, holder, stretch):
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
    devices = sorted(stretch.devices)
    some = (devices[i : i + SUBJECTS_AT_ONCE] for i in range(0, len(devices), SUBJECTS_AT_ONCE))
    if not any(registers_only(stores.frames.series(each), lambda _: True) for each in some):
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
        if not _roll_up(stores, holder, part, blank):
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


def _roll_up(stores: RollupStores, holder: str, stretch: RollupStretch, blank: Iterable[str] = ()) -> bool:
    """Compute and store the minutes of everything the devices contribute to; for `blank` subjects also uncovered
    minutes. Return False if another process took over.
    """
    work = RollupWork.of(stores, stretch)
    stored = _covered_outside(stores, work)
    left, held = set(blank), dict[str, Mapping[str, object]]()
    partly_known = stores.minutes.of_kind(KNOWN, stretch.day_ms)
    for found in work.parts():
        left -= found.keys()
        ended = {f"{KNOWN}/{rack}:power" for rack in _racks_of(found)} & partly_known - found.keys()
        # Racks that are new on this day are stored together with the sums, which begin to include them.
        new = set() if stretch.is_whole_day else {f"rack/{rack}:power" for rack in _racks_of(found) - stored.keys()}
        held |= {subject: packed(found[subject]) for subject in new}  # a tenth of the memory
        now = {subject: part for subject, part in found.items() if subject not in new}
        if not _store(stores, holder, stretch, now | {subject: _blank(stretch) for subject in ended}):
            return False
    counted = work.read | {rack for rack, is_covered in stored.items() if is_covered}
    if counted != stored.keys() and not stretch.is_whole_day:  # the stored minutes of the day are sums of other racks
        return _roll_up(stores, holder, _whole_day(stretch), blank)
    sums = work.sums(counted)
    rest = {subject: _blank(stretch) for subject in left - sums.keys()}
    return _store_held(stores, holder, stretch, held) and _store(stores, holder, stretch, sums | rest)


def _store_held(
    stores: RollupStores, holder: str, stretch: RollupStretch, held: Mapping[str, Mapping[str, object]]
) -> bool:
    subjects = list(held)
    for begin in range(0, len(subjects), SUBJECTS_AT_ONCE):
        some = subjects[begin : begin + SUBJECTS_AT_ONCE]
        rows = {s: {**held[s], "day_ms": stretch.start_ms} if held[s] else None for s in some}
        found = {s: decode_day(row) if row else _blank(stretch) for s, row in rows.items()}
        if not _store(stores, holder, stretch, found):
            return False
    return True


def _covered_outside(stores: RollupStores, work: RollupWork) -> dict[str, bool]:
    """Return the racks with minutes of the day, and whether any outside of the stretch is covered."""
    subjects = {f"rack/{rack}:power": rack for rack in work.all_racks}
    stretch = work.stretch
    found = stores.minutes.covered_outside(list(subjects), stretch.day_ms, stretch.start_ms, stretch.end_ms)
    return {subjects[subject]: is_covered for subject, is_covered in found.items()}


def _racks_of(subjects: Iterable[str]) -> set[str]:
    return {s.removeprefix("rack/").removesuffix(":power") for s in subjects if s.startswith("rack/")}


def _whole_day(stretch: RollupStretch) -> RollupStretch:
    return RollupStretch(stretch.day_ms, stretch.day_ms, stretch.day_ms + DAY_MS, stretch.devices)


def _blank(stretch: RollupStretch) -> Minutes:
    return Minutes.blank(stretch.start_ms, stretch.end_ms)


def _store(stores: RollupStores, holder: str, stretch: RollupStretch, found: Mapping[str, Minutes]) -> bool:
    subjects = list(found)
    for begin in range(0, len(subjects), SUBJECTS_AT_ONCE):
        some = {subject: found[subject] for subject in subjects[begin : begin + SUBJECTS_AT_ONCE]}
        before = stores.minutes.days(list(some), stretch.day_ms)
        days = {s: patched(before.get(s), part, stretch.day_ms) for s, part in some.items()}
        rows = {s: packed(day) for s, day in days.items()}
        figures = {s: day_figures(day) for s, day in days.items() if not s.startswith(f"{KNOWN}/")}
        with writing(stores.engine) as connection:
            if not acquire_task_lock(connection, TASK, holder, stores.now_ms(), LOCK_MS):
                return False
            save(connection, stretch.day_ms, rows)
            save_days(connection, stretch.day_ms, figures)
    return True
