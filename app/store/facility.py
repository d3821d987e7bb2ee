"""The facility and its past: versioned objects in, snapshots out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import Engine

from app.store.snapshot import Facility, FacilityObject, Feed


def wall_clock_ms() -> int:
    """UTC now."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Change:
    """What one object became: action is create, change or delete."""

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

    def at(self, t_ms: int) -> Facility:
        """The facility as it stood at a moment."""
        raise NotImplementedError

    def now(self) -> Facility:
        """The facility as it stands."""
        return self.at(self._now_ms())

    def moments(self, start_ms: int, end_ms: int) -> list[int]:
        """When, inside (start, end), anything changed: between two of them `at` is constant."""
        raise NotImplementedError

    def feeds(self, node: str, start_ms: int, end_ms: int) -> list[Feed]:
        """Every cord that powered a node for some of [start, end), with its validity."""
        raise NotImplementedError

    def apply(
        self,
        objects: Sequence[FacilityObject] = (),
        removals: Sequence[tuple[str, str]] = (),
        effective_ms: int | None = None,
        guard: Callable[[Facility], None] | None = None,
        dry_run: bool = False,
    ) -> list[Change]:
        """Create or change `objects` and delete `removals` (kind, key), all of it or nothing, from `effective_ms` on.

        A key never seen before is valid since ever; so are the first cords a node ever gets. A change at a moment in
        the past replaces what was known from there on. `guard` sees the facility as it will be and may raise to stop
        everything. `kind` is site, room, rack, model, device, node or auth.
        """
        raise NotImplementedError

    def upsert(self, objects: Sequence[FacilityObject], effective_ms: int | None = None) -> list[Change]:
        """Create or change objects in one transaction."""
        return self.apply(objects, effective_ms=effective_ms)

    def delete(self, kind: str, key: str, effective_ms: int | None = None) -> bool:
        """End an object; False when there is none. Its past stays."""
        return bool(self.apply(removals=[(kind, key)], effective_ms=effective_ms))
