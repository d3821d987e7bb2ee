"""All versions of all facility objects, and the facility at any time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from sqlalchemy import Connection, Table, select

from app.models import (
    FACILITY_TABLES,
    OBJECTS,
    POWER_CONNECTION,
    Auth,
    Device,
    FacilityObject,
    Model,
    Node,
    PowerConnection,
    Rack,
    Room,
    SharedSupply,
    Site,
    Validity,
    loader,
)
from app.store.facility.snapshot import Facility

KIND_OF: dict[type[FacilityObject], str] = {class_: kind for kind, class_ in OBJECTS.items()}

Thing = TypeVar("Thing", bound=Validity)

_BEFORE_EVERYTHING = -(1 << 63)


def valid(version: Validity, t_ms: int) -> bool:
    """Return whether a version is valid at a time."""
    return version.valid_from_ms <= t_ms and (version.valid_to_ms is None or t_ms < version.valid_to_ms)


class History:
    """Every version of every object, read in one transaction.

    Attributes
    ----------
    moments: times at which any version begins or ends [ms]; between two of them the facility is constant.
    """

    def __init__(self, objects: Mapping[str, Sequence[FacilityObject]], feeds: Sequence[PowerConnection]) -> None:
        self._versions: dict[str, dict[str, list[FacilityObject]]] = {kind: defaultdict(list) for kind in objects}
        self._cords: dict[str, list[PowerConnection]] = defaultdict(list)
        for kind, found in objects.items():
            for version in sorted(found, key=_begin):
                self._versions[kind][version.key].append(version)
        for feed in sorted(feeds, key=lambda f: (f.valid_from_ms, f.key)):
            self._cords[feed.node].append(feed)
        self._supplies: dict[str, list[SharedSupply]] = defaultdict(list)
        supplies = [version for version in objects.get("supply", ()) if isinstance(version, SharedSupply)]
        for supply in sorted(supplies, key=_begin):
            for node in supply.nodes:
                self._supplies[node].append(supply)
        every: list[Validity] = [*feeds, *(version for found in objects.values() for version in found)]
        begins = {v.valid_from_ms for v in every}
        ends = {v.valid_to_ms for v in every if v.valid_to_ms is not None}
        self.moments = sorted(begins | ends)
        self._snapshot = lru_cache(maxsize=64)(self._build)

    @classmethod
    def load(cls, connection: Connection) -> History:
        """Read all versions."""
        objects: dict[str, list[FacilityObject]] = {
            kind: _load(connection, FACILITY_TABLES[kind], class_) for kind, class_ in OBJECTS.items()
        }
        return cls(objects, _load(connection, POWER_CONNECTION, PowerConnection))

    def at(self, t_ms: int) -> Facility:
        """Return the facility at a time; the same object for times between which nothing changed."""
        i = bisect_right(self.moments, t_ms)
        return self._snapshot(self.moments[i - 1] if i else _BEFORE_EVERYTHING)

    def versions(self, kind: str, key: str) -> list[FacilityObject]:
        """Return the versions of an object, oldest first; those of a node are without cords."""
        return self._versions[kind].get(key, [])

    def cords(self, node: str) -> list[PowerConnection]:
        """Return all cords that a node ever had, oldest first."""
        return self._cords.get(node, [])

    def shared(self, node: str) -> list[SharedSupply]:
        """Return the versions of all shared supplies that a node ever had, oldest first."""
        return self._supplies.get(node, [])

    def feeds(self, node: str, start_ms: int, end_ms: int) -> list[PowerConnection]:
        """Return the cords that powered a node in some part of [start, end), with their validity, oldest first."""
        return [feed for feed in self.cords(node) if _overlaps(feed, start_ms, end_ms)]

    def supplies(self, node: str, start_ms: int, end_ms: int) -> list[SharedSupply]:
        """Return the versions of shared supplies that powered a node in some part of [start, end), oldest first."""
        return [supply for supply in self.shared(node) if _overlaps(supply, start_ms, end_ms)]

    def powering(self, node: str, start_ms: int, end_ms: int) -> list[PowerConnection]:
        """Return the cords of a node and of its shared supplies in some part of [start, end), with their validity."""
        shared = [f for s in self.supplies(node, start_ms, end_ms) for f in s.cords if f.node == node]
        return self.feeds(node, start_ms, end_ms) + shared

    def between(self, start_ms: int, end_ms: int) -> list[int]:
        """Return the times inside (start, end) at which anything changed."""
        return self.moments[bisect_right(self.moments, start_ms) : bisect_left(self.moments, end_ms)]

    def _build(self, t_ms: int) -> Facility:
        feeds = {
            node: tuple(sorted((f for f in found if valid(f, t_ms)), key=lambda f: f.key))
            for node, found in self._cords.items()
        }
        nodes = {
            key: replace(node, feeds=tuple(f.key for f in feeds.get(key, ())))
            for key, node in self._standing("node", Node, t_ms).items()
        }
        return Facility(
            sites=self._standing("site", Site, t_ms),
            rooms=self._standing("room", Room, t_ms),
            racks=self._standing("rack", Rack, t_ms),
            models=self._standing("model", Model, t_ms),
            devices=self._standing("device", Device, t_ms),
            nodes=nodes,
            supplies=self._standing("supply", SharedSupply, t_ms),
            auths=self._standing("auth", Auth, t_ms),
            feeds=feeds,
        )

    def _standing(self, kind: str, class_: type[Thing], t_ms: int) -> dict[str, Thing]:
        found = self._versions[kind]
        return {
            key: version
            for key in sorted(found)
            for version in found[key]
            if isinstance(version, class_) and valid(version, t_ms)
        }


def _overlaps(version: Validity, start_ms: int, end_ms: int) -> bool:
    return version.valid_from_ms < end_ms and (version.valid_to_ms is None or version.valid_to_ms > start_ms)


def _begin(version: Validity) -> int:
    return version.valid_from_ms


def _load(connection: Connection, rows: Table, class_: Callable[..., Thing]) -> list[Thing]:
    load = loader(class_, frozenset(rows.c.keys()))
    return [load(row) for row in connection.execute(select(rows)).mappings()]
