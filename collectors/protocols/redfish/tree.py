"""Follow a profile's path from the root of a Redfish service to its places."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from collectors.contract import NAN
from collectors.device import LONGEST_TEXT, MOST_SERIES, clipped
from collectors.errors import BadAnswer
from collectors.protocols.redfish.client import ROOT, Gone, RedfishClient, Resource, link, path_of

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")
_MOST_RESOURCES = 600
_HINT = "name the chassis that is the node: redfish://HOST?chassis=ID"
_NOT_THERE = frozenset({"Absent", "Disabled", "UnavailableOffline"})
_LARGEST = 1e300  # integers in JSON have no largest value
_UNITS: Mapping[str, frozenset[str]] = {
    "W": frozenset({"W"}), "kWh": frozenset({"kW.h", "kWh"}), "J": frozenset({"J"}), "V": frozenset({"V"}),
    "A": frozenset({"A"}), "Hz": frozenset({"Hz"}), "°C": frozenset({"Cel", "C"}), "%": frozenset({"%"}),
}  # fmt: skip


class Source(NamedTuple):
    """Location of a body: the document at a path, optionally a member inside its collection and an item of a list."""

    path: str
    member: str = ""
    items: str = ""
    position: int = 0

    def body(self, document: Resource) -> Resource | None:
        """Return the body in a document; None when it is no longer there."""
        body: object = document
        if self.member:
            body = next((m for m in _list(document, "Members") if path_of(m) == self.member), None)
        if self.items and isinstance(body, Mapping):
            items = _list(body, self.items)
            body = items[self.position] if self.position < len(items) else None
        return body if isinstance(body, Mapping) else None


class Place(NamedTuple):
    """An object on a path: its names, the paths of its parents, its body."""

    names: Mapping[str, str]
    paths: Mapping[str, str]
    source: Source
    body: Resource


class Tree:
    """The fetched part of a service; each resource is fetched once. `refused` lists resources that failed."""

    def __init__(self, client: RedfishClient, root: Resource, only: Mapping[str, str]) -> None:
        self._client = client
        self._known: dict[str, Resource | None] = {ROOT: root}
        self._root = root
        self._only = only
        self._counted: set[str] = set()
        self.refused: list[str] = []

    @property
    def vendor(self) -> str:
        """Maker that the root of the service names; '' if it names none."""
        return text(self._root, "Vendor")

    async def places(self, way: str, skip: int = 0) -> list[Place]:
        """Return everything at a path, in the service's order; missing parts are skipped.

        Raises
        ------
        Unreachable, AccessDenied, BadAnswer
        """
        links, _, items = way.partition("#")
        found = [Place({}, {}, Source(ROOT), self._root)]
        for step in links.split("/"):
            follow = self._members if step.startswith("{") else self._linked
            found = [place async for place in follow(found, step.strip("{}"))]
        if not items:
            return found
        array, _, name = items.partition("/")
        found = [item for place in found for item in _items(place, array, name.strip("{}"), skip)]
        if len(found) > MOST_SERIES:
            raise BadAnswer(f"there are more than {MOST_SERIES} items of {way}", _HINT, "too_many_resources")
        return found

    async def _linked(self, places: Sequence[Place], name: str) -> AsyncIterator[Place]:
        for place in places:
            path = link(place.body, name)
            body = await self._fetch(path) if path else None
            if path and body is not None:
                yield Place(place.names, place.paths, Source(path), body)

    async def _members(self, places: Sequence[Place], name: str) -> AsyncIterator[Place]:
        for place in places:
            for member in _list(place.body, "Members"):
                path = path_of(member)
                if path is None or self._only.get(name, _last(path)) != _last(path):
                    continue
                # Some services include the members in the collection.
                inline = len(member) > 1
                if inline:
                    self._count(path)
                body = member if inline else await self._fetch(path)
                source = Source(place.source.path, member=path) if inline else Source(path)
                if body is not None:
                    names, paths = {**place.names, name: _last(path)}, {**place.paths, name: path}
                    yield Place(names, paths, source, body)

    async def _fetch(self, path: str) -> Resource | None:
        if path not in self._known:
            self._count(path)
            self._known[path] = None
            try:
                self._known[path] = await self._client.get(path)
            except Gone:
                pass
            except BadAnswer as error:
                self.refused.append(error.detail)
        return self._known[path]

    def _count(self, path: str) -> None:
        self._counted.add(path)
        if len(self._counted) > _MOST_RESOURCES:
            raise BadAnswer(f"there are more than {_MOST_RESOURCES} resources", _HINT, "too_many_resources")


def look(body: object, path: str) -> object:
    """Return the value at a path of names and numbers.

    Raises
    ------
    KeyError
        There is none.
    """
    for step in path.split("/"):
        try:
            body = body[int(step)] if isinstance(body, list) else body[step]  # type: ignore[index]
        except (IndexError, TypeError, ValueError):
            raise KeyError(path) from None
    return body


def number(body: Resource, path: str, unit: str) -> float:
    """Return the number at a path; NaN if it is null, of an absent object, or in another unit.

    Raises
    ------
    KeyError
        The resource has no such property.
    """
    raw = look(body, path)
    if isinstance(raw, str):  # seen: "5500" of a Lite-On power shelf
        raw = _parsed(raw)
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) <= _LARGEST:
        return NAN
    steps = path.split("/")
    holders = [body, *(look(body, "/".join(steps[:n])) for n in range(1, len(steps)))]
    for holder in holders:
        status = holder.get("Status") if isinstance(holder, Mapping) else None
        if isinstance(status, Mapping) and status.get("State") in _NOT_THERE:
            return NAN
    reported = holders[-1].get("ReadingUnits") if isinstance(holders[-1], Mapping) else None
    return NAN if reported is not None and unit in _UNITS and reported not in _UNITS[unit] else float(raw)


def text(body: Resource, path: str) -> str:
    """Return the text at a path; empty without one."""
    try:
        found = look(body, path)
    except KeyError:
        return ""
    return "" if found is None or isinstance(found, list | dict) else clipped(str(found).strip())


def _parsed(raw: str) -> float:
    try:
        return float(raw)
    except ValueError:
        return NAN


def _items(place: Place, array: str, name: str, skip: int) -> list[Place]:
    return [
        Place({**place.names, name: str(n + 1)}, place.paths, place.source._replace(items=array, position=n), item)
        for n, item in enumerate(_list(place.body, array)[: skip + MOST_SERIES + 1])
        if n >= skip and isinstance(item, Mapping)
    ]


def _list(body: Resource, name: str) -> list[Resource]:
    found = body.get(name)
    return found if isinstance(found, list) else []


def _last(path: str) -> str:
    """Return the last part of a path as a name."""
    last = urlsplit(path).path.rstrip("/").rpartition("/")[2][-LONGEST_TEXT:]
    return _NOT_IN_NAMES.sub("-", unquote(last)).strip("-._")
