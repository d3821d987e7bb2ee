"""Store versioned facility objects and return the facility at any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Connection, Engine, Table, bindparam, delete, func, insert, select, update

from app.models import (
    FACILITY_TABLES,
    POWER_CONNECTION,
    FacilityChangeRow,
    FacilityObject,
    Node,
    PowerConnection,
    SharedSupply,
    Validity,
    table,
)
from app.store.database import among, reading, take_turns, writing
from app.store.facility.history import KIND_OF, History
from app.store.facility.revision import Revision, supersede
from app.store.facility.snapshot import Facility
from app.store.timeseries import PLACES
from collectors.contract import wall_clock_ms

CHANGE = table(FacilityChangeRow)
_LOCK = 0x57617475
_CORD = "cord"


@dataclass(frozen=True)
class Change:
    """A change of one object: `action` is create, change or delete; before and after as of the effective time."""

    kind: str
    key: str
    action: str
    before: FacilityObject | None
    after: FacilityObject | None


class FacilityStore:
    """All versions of all objects. Safe to share between threads."""

    def __init__(self, engine: Engine, now_ms: Callable[[], int] = wall_clock_ms) -> None:
        self._engine = engine
        self._now_ms = now_ms
        self._known: tuple[int, History] | None = None

    def at(self, t_ms: int) -> Facility:
        """Return the facility at a time."""
        return self.history().at(t_ms)

    def now(self) -> Facility:
        """Return the facility now."""
        return self.at(self._now_ms())

    def moments(self, start_ms: int, end_ms: int) -> list[int]:
        """Do the same as `History.between`."""
        return self.history().between(start_ms, end_ms)

    def feeds(self, node: str, start_ms: int, end_ms: int) -> list[PowerConnection]:
        """Do the same as `History.feeds`."""
        return self.history().feeds(node, start_ms, end_ms)

    def supplies(self, node: str, start_ms: int, end_ms: int) -> list[SharedSupply]:
        """Do the same as `History.supplies`."""
        return self.history().supplies(node, start_ms, end_ms)

    def powering(self, node: str, start_ms: int, end_ms: int) -> list[PowerConnection]:
        """Do the same as `History.powering`."""
        return self.history().powering(node, start_ms, end_ms)

    def versions(self, kind: str, key: str) -> list[FacilityObject]:
        """Return the versions of an object, oldest first; versions of a node are without cords."""
        return list(self.history().versions(kind, key))

    def corrections(self, since_ms: int) -> list[tuple[int, int]]:
        """Return the changes recorded since a time as (recorded, valid from); 0 for a creation."""
        query = select(CHANGE.c.made_ms, CHANGE.c.effective_ms, CHANGE.c.action).where(CHANGE.c.made_ms >= since_ms)
        with reading(self._engine) as connection:
            rows = connection.execute(query).all()
        return [(made_ms, 0 if action == "create" else effective_ms) for made_ms, effective_ms, action in rows]

    def apply(
        self,
        objects: Sequence[FacilityObject] = (),
        removals: Sequence[tuple[str, str]] = (),
        effective_ms: int | None = None,
        guard: Callable[[Facility], None] | None = None,
        dry_run: bool = False,
        plugged: Mapping[tuple[str, str], int] | None = None,
    ) -> list[Change]:
        """Create or change `objects` and delete `removals` (kind, key), all of it or nothing, from `effective_ms` on.

        A key that was never stored is valid for all past time; so are the first cords of a node, and a shared supply if
        none of its nodes was powered otherwise before. A change at a past time replaces all later versions. `guard`
        receives the facility as it will be and may raise to cancel everything. `kind` is site, room, rack, model,
        device, node, supply or auth. An equal object is no change; if an object is both removed and given, or given
        twice, the last one counts.
        """
        wanted: dict[tuple[str, str], FacilityObject | None] = dict.fromkeys(removals)
        wanted |= {(KIND_OF[type(object_)], object_.key): object_ for object_ in objects}
        now_ms = self._now_ms()
        effective_ms = now_ms if effective_ms is None else effective_ms
        with writing(self._engine) as connection:
            take_turns(connection, _LOCK)
            plan = PlannedVersions(History.load(connection), effective_ms, plugged or {})
            for (kind, key), after in wanted.items():
                plan.revise(kind, key, after)
            plan.execute(connection, now_ms)
            if guard:
                guard(History.load(connection).at(max(now_ms, effective_ms)))
            if dry_run:
                connection.rollback()
        return plan.changes

    def upsert(self, objects: Sequence[FacilityObject], effective_ms: int | None = None) -> list[Change]:
        """Create or change objects in one transaction."""
        return self.apply(objects, effective_ms=effective_ms)

    def delete(self, kind: str, key: str, effective_ms: int | None = None) -> bool:
        """End an object and the cords of a node; return False if there is none. Its past versions stay."""
        return bool(self.apply(removals=[(kind, key)], effective_ms=effective_ms))

    def history(self) -> History:
        """Return all versions, reading them again if any change was recorded since."""
        with reading(self._engine) as connection:
            newest = connection.scalar(select(func.max(CHANGE.c.id))) or 0
            if self._known is None or self._known[0] != newest:
                self._known = (newest, History.load(connection))
            return self._known[1]


class StillFacility(FacilityStore):
    """The facility as known at one time, read once, for work that reads it for thousands of objects."""

    def __init__(self, store: FacilityStore) -> None:
        super().__init__(store._engine, store._now_ms)
        self._history = store.history()

    def history(self) -> History:
        """Return the history read at first."""
        return self._history


class PlannedVersions:
    """The changes of each table that a change of the facility requires."""

    def __init__(self, history: History, effective_ms: int, plugged: Mapping[tuple[str, str], int]) -> None:
        self._plugged = plugged
        self.changes: list[Change] = []
        self._history = history
        self._effective_ms = effective_ms
        self._revisions: dict[str, Revision] = {name: Revision() for name in (*FACILITY_TABLES, _CORD)}

    def revise(self, kind: str, key: str, after: FacilityObject | None) -> None:
        """Make an object `after` from the effective time on, or end it."""
        if isinstance(after, Node):
            after = replace(after, feeds=tuple(sorted(set(after.feeds))))
        versions = self._history.versions(kind, key)
        alone = replace(after, feeds=()) if isinstance(after, Node) else after
        since_ms = self._effective_ms if versions or self._powered_before(after) else 0
        revision = supersede(versions, alone, self._effective_ms, since_ms)
        cords = self._cords(key, after.feeds if isinstance(after, Node) else ()) if kind == "node" else Revision()
        if not revision and not cords:
            return
        self._revisions[kind].include(revision)
        self._revisions[_CORD].include(cords)
        before = self._history.at(self._effective_ms).get(kind, key)
        action = "delete" if after is None else "change" if before else "create"
        self.changes.append(Change(kind, key, action, before, after))

    def execute(self, connection: Connection, made_ms: int) -> None:
        """Change the tables and record the changes."""
        for name, revision in self._revisions.items():
            _execute(connection, POWER_CONNECTION if name == _CORD else FACILITY_TABLES[name], revision)
        record = [
            {
                "made_ms": made_ms,
                "effective_ms": self._effective_ms,
                "kind": change.kind,
                "key": change.key,
                "action": change.action,
                "due_ms": self._due_ms(change),
            }
            for change in self.changes
        ]
        if record:
            connection.execute(insert(CHANGE), record)

    def _due_ms(self, change: Change) -> int | None:
        """Return from when on minute rollups may be outdated; a creation is valid for all past time."""
        if change.kind not in PLACES:
            return None
        return 0 if change.action == "create" else min([self._effective_ms, *self._plugged.values()])

    def _powered_before(self, after: FacilityObject | None) -> bool:
        """Return whether a new shared supply takes over nodes that were powered otherwise before."""
        nodes = after.nodes if isinstance(after, SharedSupply) else ()
        return any(self._history.cords(node) or self._history.shared(node) for node in nodes)

    def _cords(self, node: str, feeds: Sequence[str]) -> Revision:
        ever = self._history.cords(node)
        wanted = {
            key: PowerConnection(node=node, device=key.partition("/")[0], point=key.partition("/")[2]) for key in feeds
        }
        revision = Revision()
        for key in sorted({feed.key for feed in ever} | set(wanted)):
            versions = [feed for feed in ever if feed.key == key]
            since_ms = self._effective_ms if ever or self._history.shared(node) else 0
            plugged_ms = self._plugged.get((node, key)) if key in wanted else None
            if plugged_ms is not None:
                revision.include(supersede(versions, wanted[key], plugged_ms, plugged_ms))
            else:
                revision.include(supersede(versions, wanted.get(key), self._effective_ms, since_ms))
        return revision


def _execute(connection: Connection, rows: Table, revision: Revision) -> None:
    if revision.drop:
        connection.execute(delete(rows).where(among(connection, rows.c.id, revision.drop)))
    if revision.end:
        end = update(rows).where(rows.c.id == bindparam("ended_id")).values(valid_to_ms=bindparam("ended_ms"))
        connection.execute(end, [{"ended_id": id_, "ended_ms": end_ms} for id_, end_ms in revision.end.items()])
    if revision.add:
        connection.execute(insert(rows), [_columns(rows, version) for version in revision.add])


def _columns(rows: Table, version: Validity) -> Mapping[str, Any]:
    return {name: value for name, value in asdict(version).items() if name in rows.c}
