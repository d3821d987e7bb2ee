"""Keeps the minute tier current: behind ingest, behind late readings, behind changes of the facility."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.domain.curve import Curve, window
from app.domain.minutes import DAY_MS, HOUR_MS, MINUTE_MS, Minutes, minutes, together
from app.services.context import Context
from app.services.jobs import readings_came
from app.services.minute_curves import Standing, Touched, touched
from app.store.days import day_figures, save_days
from app.store.dirty import Due, Mark, changes_due, clear, dirty_days, marks, settle
from app.store.engine import reading, writing
from app.store.minutes import first_reading, packed, patched, save
from app.store.retention import retired_before
from app.store.snapshot import Facility
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

    @property
    def is_whole_day(self) -> bool:
        """Whether no minute of the day stands outside."""
        return self.end_ms - self.start_ms >= DAY_MS


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
    is_whole = day_ms >= _first_whole_day(context)
    for stretch in _stretches(found):
        # told when they came, too; but the server may have died between storing and telling
        readings_came(context, stretch.devices, stretch.start_ms, stretch.end_ms)
        if is_whole and not _store(context, holder, stretch, _compute(context, stretch)):
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
    """Devices that may tell of what changed: of a new device its own, of a new node those of its rack, else all."""
    facility = context.facility.now()
    found: set[str] = set()
    for change in due:
        if change.action == "create" and change.kind == "device":
            found.add(change.key)
        elif change.action == "create" and change.kind == "node":
            found |= _devices_beside(facility, change.key)
        else:
            return frozenset(facility.devices) | frozenset(context.facility.at(change.due_ms).devices)
    return frozenset(found)


def _devices_beside(facility: Facility, key: str) -> set[str]:
    """What tells of a node and of the others in its rack: without readings of the new one the rack has none."""
    node = facility.nodes.get(key)
    nodes = {key} | ({n.key for n in facility.nodes_in(node.rack)} if node and node.rack else set())
    own = {d.key for d in facility.devices.values() if d.node in nodes}
    return own | {feed.device for node in nodes for feed in facility.powering(node)}


def _compute(context: Context, stretch: Stretch, blank: Iterable[str] = ()) -> dict[str, Minutes]:
    """The minutes of everything that the devices are part of; of `blank` those that are covered by nothing too."""
    edges = [stretch.start_ms, *context.facility.moments(stretch.start_ms, stretch.end_ms), stretch.end_ms]
    what = Touched()
    for edge in edges[:-1]:
        what |= touched(context.facility.at(edge), stretch.devices)
    pieces = [(a, b, _standing(context, what, a, b)) for a, b in pairwise(edges)]
    counted = _counted(context, stretch, pieces)
    if counted is None:
        whole = Stretch(stretch.day_ms, stretch.day_ms, stretch.day_ms + DAY_MS, stretch.devices)
        return _compute(context, whole, blank)
    empty = Minutes.blank(stretch.start_ms, stretch.end_ms)
    found: dict[str, list[Minutes]] = {subject: [empty] for subject in blank}
    for a, b, one in pieces:
        for subject, curve in (one.curves() | one.sums(counted)).items():
            found.setdefault(subject, []).append(_inside(curve, a, b, stretch))
    return {subject: together(parts) for subject, parts in found.items()}


def _counted(context: Context, stretch: Stretch, pieces: Sequence[tuple[int, int, Standing]]) -> set[str] | None:
    """The racks that are read at some time of the day: those a room and a site are the sums of, all day long.

    None when they are others than the day's stored minutes were made of, so that the whole day is to be computed.
    """
    read = {rack for a, b, one in pieces for rack, curve in one.racks.items() if len(window(curve, a, b))}
    silent = {rack for _, _, one in pieces for rack in one.racks} - read
    days = context.minutes.days([f"rack/{rack}:power" for rack in read | silent], stretch.day_ms)
    before = {subject.removeprefix("rack/").removesuffix(":power") for subject in days}
    read |= {rack for rack in silent & before if _is_covered_outside(days[f"rack/{rack}:power"], stretch)}
    return read if read == before or stretch.is_whole_day else None


def _is_covered_outside(day: Minutes, stretch: Stretch) -> bool:
    outside = (day.t_ms + day.step_ms <= stretch.start_ms) | (day.t_ms >= stretch.end_ms)
    return bool(day.covered_ms[outside].any())


def _standing(context: Context, what: Touched, start_ms: int, end_ms: int) -> Standing:
    """A stretch, seen with a minute around it as far as the facility was the same: cutting a curve changes its end."""
    before = context.facility.moments(start_ms - MINUTE_MS, start_ms + 1)
    after = context.facility.moments(end_ms - 1, end_ms + MINUTE_MS)
    return Standing(context, what, max([start_ms - MINUTE_MS, *before]), min([end_ms + MINUTE_MS, *after]))


def _inside(curve: Curve, start_ms: int, end_ms: int, stretch: Stretch) -> Minutes:
    return minutes(window(curve, start_ms, end_ms), stretch.start_ms, stretch.end_ms)


def _store(context: Context, holder: str, stretch: Stretch, found: Mapping[str, Minutes]) -> bool:
    before = context.minutes.days(list(found), stretch.day_ms)
    days = {s: patched(before.get(s), part, stretch.day_ms) for s, part in found.items()}
    rows = {s: packed(day) for s, day in days.items()}
    figures = {s: day_figures(day) for s, day in days.items()}
    with writing(context.engine) as connection:
        if not has_turn(connection, TASK, holder, context.now_ms(), TURN_MS):
            return False
        save(connection, stretch.day_ms, rows)
        save_days(connection, stretch.day_ms, figures)
    return True
