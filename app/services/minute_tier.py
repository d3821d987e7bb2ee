"""Keeps the minute tier current: behind ingest, behind late readings, behind changes of the facility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.curve import Curve, window
from app.domain.minutes import DAY_MS, HOUR_MS, MINUTE_MS, Minutes, minutes, together
from app.services.context import Context
from app.services.minute_curves import Standing, Touched, touched
from app.store.dirty import Due, Mark, changes_due, clear, dirty_days, marks, settle
from app.store.engine import reading, writing
from app.store.minutes import first_reading, packed, patched, save
from app.store.retention import retired_before
from app.store.turns import has_turn

DAYS_AT_ONCE = 30
TASK = "minutes"
TURN_MS = 300_000


@dataclass(frozen=True)
class Stretch:
    """Minutes [start, end) of one day, and the devices whose readings changed there."""

    day_ms: int
    start_ms: int
    end_ms: int
    devices: frozenset[str]


def refresh_minutes(context: Context, holder: str, days: int = DAYS_AT_ONCE) -> int:
    """Compute what is not up to date, today first, at most so many days; returns how many.

    One process at a time does it, `holder` by name; it stops between two days with the server.
    """
    if not _my_turn(context, holder):
        return 0
    with reading(context.engine) as connection:
        waiting = dirty_days(connection)[:days]
    done = 0
    for day_ms in waiting:
        if context.stopping.is_set() or not _after_readings(context, holder, day_ms):
            return done
        done += 1
    return done + _after_changes(context, holder, days - done)


def _my_turn(context: Context, holder: str) -> bool:
    with writing(context.engine) as connection:
        return has_turn(connection, TASK, holder, context.now_ms(), TURN_MS)


def _after_readings(context: Context, holder: str, day_ms: int) -> bool:
    """A day's marks; False when the turn went to somebody else."""
    with reading(context.engine) as connection:
        found = marks(connection, day_ms)
    for stretch in _stretches(found) if day_ms >= _first_whole_day(context) else ():
        if not _store(context, holder, stretch, _compute(context, stretch)):
            return False
    with writing(context.engine) as connection:
        clear(connection, found)
    return True


def _stretches(found: Sequence[Mark]) -> Iterable[Stretch]:
    """Devices whose marks begin in the same hour are computed together: one that is late costs the others nothing."""
    hours: dict[int, list[Mark]] = defaultdict(list)
    for mark in found:
        hours[mark.from_ms // HOUR_MS].append(mark)
    for _, together_ in sorted(hours.items()):
        start_ms = min(m.from_ms for m in together_) // MINUTE_MS * MINUTE_MS
        end_ms = -(max(m.to_ms for m in together_) // -MINUTE_MS) * MINUTE_MS
        yield Stretch(together_[0].day_ms, start_ms, end_ms, frozenset(m.device for m in together_))


def _after_changes(context: Context, holder: str, days: int) -> int:
    """Bring changes of the facility to the minutes they concern, day by day from the first; returns how many days."""
    with reading(context.engine) as connection:
        due = changes_due(connection)
        if not due:
            return 0
        devices = _concerned(context, due)
        first_ms = first_reading(connection, devices)
    end_ms = -(context.now_ms() // -MINUTE_MS) * MINUTE_MS
    first_ms = end_ms if first_ms is None else max(first_ms, _first_whole_day(context))
    start_ms = max(min(change.due_ms for change in due), first_ms)
    done = 0
    while start_ms < end_ms and done < days and not context.stopping.is_set():
        day_ms = start_ms // DAY_MS * DAY_MS
        part = Stretch(day_ms, start_ms // MINUTE_MS * MINUTE_MS, min(end_ms, day_ms + DAY_MS), devices)
        blank = [] if _only_creations(due) else context.minutes.known(day_ms)
        if not _store(context, holder, part, _compute(context, part, blank)):
            return done
        start_ms, done = day_ms + DAY_MS, done + 1
        _settle(context, due, start_ms)
    if start_ms >= end_ms:
        _settle(context, due, None)
    return done


def _first_whole_day(context: Context) -> int:
    """Days before it are kept as they are: not all readings they were made of are there any more."""
    return retired_before(context.engine, ("power", "electrical"))


def _settle(context: Context, due: Sequence[Due], due_ms: int | None) -> None:
    with writing(context.engine) as connection:
        settle(connection, due[-1].id, due_ms)


def _only_creations(due: Sequence[Due]) -> bool:
    return all(change.action == "create" for change in due)


def _concerned(context: Context, due: Sequence[Due]) -> frozenset[str]:
    """Devices that may tell of what changed: of a new device or node its own, else all."""
    facility = context.facility.now()
    found: set[str] = set()
    for change in due:
        if change.action == "create" and change.kind == "device":
            found.add(change.key)
        elif change.action == "create" and change.kind == "node":
            found |= {feed.device for feed in facility.feeds_of(change.key)}
            found |= {d.key for d in facility.devices.values() if d.node == change.key}
        else:
            return frozenset(facility.devices) | frozenset(context.facility.at(change.due_ms).devices)
    return frozenset(found)


def _compute(context: Context, stretch: Stretch, blank: Iterable[str] = ()) -> dict[str, Minutes]:
    """The minutes of everything that the devices are part of; of `blank` those that are covered by nothing too."""
    edges = [stretch.start_ms, *context.facility.moments(stretch.start_ms, stretch.end_ms), stretch.end_ms]
    what = Touched()
    for edge in edges[:-1]:
        what |= touched(context.facility.at(edge), stretch.devices)
    pieces = [(a, b, _standing(context, what, a, b)) for a, b in pairwise(edges)]
    before = _racks_read(context, stretch.day_ms)
    read = {rack for a, b, one in pieces for rack, curve in one.racks.items() if len(window(curve, a, b))}
    if read - before and stretch.start_ms > stretch.day_ms:  # it counts in its room all day long
        return _compute(context, Stretch(stretch.day_ms, stretch.day_ms, stretch.end_ms, stretch.devices), blank)
    empty = Minutes.blank(stretch.start_ms, stretch.end_ms)
    found: dict[str, list[Minutes]] = {subject: [empty] for subject in blank}
    for a, b, one in pieces:
        for subject, curve in (one.curves() | one.sums(read | before)).items():
            found.setdefault(subject, []).append(_inside(curve, a, b, stretch))
    return {subject: together(parts) for subject, parts in found.items()}


def _racks_read(context: Context, day_ms: int) -> set[str]:
    """Racks that were read at all on a day: those a room and a site are the sums of."""
    known = context.minutes.known(day_ms)
    return {s.removeprefix("rack/").removesuffix(":power") for s in known if s.startswith("rack/")}


def _standing(context: Context, what: Touched, start_ms: int, end_ms: int) -> Standing:
    """A stretch, seen with a minute around it as far as the facility was the same: cutting a curve changes its end."""
    before = context.facility.moments(start_ms - MINUTE_MS, start_ms + 1)
    after = context.facility.moments(end_ms - 1, end_ms + MINUTE_MS)
    return Standing(context, what, max([start_ms - MINUTE_MS, *before]), min([end_ms + MINUTE_MS, *after]))


def _inside(curve: Curve, start_ms: int, end_ms: int, stretch: Stretch) -> Minutes:
    return minutes(window(curve, start_ms, end_ms), stretch.start_ms, stretch.end_ms)


def _store(context: Context, holder: str, stretch: Stretch, found: Mapping[str, Minutes]) -> bool:
    before = context.minutes.days(list(found), stretch.day_ms)
    rows = {s: packed(patched(before.get(s), part, stretch.day_ms)) for s, part in found.items()}
    with writing(context.engine) as connection:
        if not has_turn(connection, TASK, holder, context.now_ms(), TURN_MS):
            return False
        save(connection, stretch.day_ms, rows)
    return True
