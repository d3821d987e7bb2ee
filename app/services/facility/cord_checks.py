"""Check cords: their points exist, a point powers one node or shared supply, a node is powered in one way.

The checks report errors of the objects *in focus*, those about to be written.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from app.services.facility.schema import TABLES
from app.services.facility.validation_errors import ValidationFinding, meant
from app.store.facility import Facility, SharedSupply

Ref = tuple[str, str]
"""Kind and key of an object."""
Points = Callable[[str], frozenset[str] | None]
"""The points a device has announced; None when it was never polled."""


def cord_findings(
    facility: Facility, focus: Set[Ref], points: Points, ignored: Set[Ref]
) -> Iterator[ValidationFinding]:
    """Return all errors of the cords of the nodes and shared supplies in focus."""
    plugged = _plugged(facility)
    users: dict[str, list[Ref]] = defaultdict(list)
    for user, feeds in plugged.items():
        for feed in feeds:
            users[feed].append(user)
    for user, feeds in plugged.items():
        for feed in feeds if user in focus else ():
            if ("device", feed.partition("/")[0]) not in ignored:
                for wrong, suggested_fix in (
                    *_no_such_point(facility, feed, points),
                    *_taken(user, users[feed], focus),
                ):
                    yield ValidationFinding((TABLES[user[0]], user[1], "feeds"), quoted(feed), wrong, suggested_fix)
    for supply in facility.supplies.values():
        yield from _powered_twice(facility, supply, focus)
    yield from _branches(facility, focus, points, ignored)


def _branches(facility: Facility, focus: Set[Ref], points: Points, ignored: Set[Ref]) -> Iterator[ValidationFinding]:
    """Find points of branch meters that do not exist or belong to the device itself."""
    for device in facility.devices.values():
        for branch in device.branches if ("device", device.key) in focus else ():
            meter = branch.partition("/")[0]
            if meter == device.key:
                wrong, suggested_fix = "a device is not its own branch meter", "name the points of the meter before it"
                yield ValidationFinding(("devices", device.key, "branches"), quoted(branch), wrong, suggested_fix)
            elif ("device", meter) not in ignored:
                for wrong, suggested_fix in _no_such_point(facility, branch, points):
                    yield ValidationFinding(("devices", device.key, "branches"), quoted(branch), wrong, suggested_fix)


def _plugged(facility: Facility) -> dict[Ref, tuple[str, ...]]:
    """Return the points that power each node and shared supply."""
    nodes = {("node", node): tuple(feed.key for feed in feeds) for node, feeds in facility.feeds.items()}
    return nodes | {("supply", supply.key): supply.feeds for supply in facility.supplies.values()}


def _no_such_point(facility: Facility, feed: str, points: Points) -> Iterator[tuple[str, str]]:
    device, _, point = feed.partition("/")
    if device not in facility.devices:
        yield f"no such device: {device}", nearest("device", device, facility.devices)
        return
    known = points(device)
    if known is not None and point not in known:
        yield f"{device} has no point {point}", _points_near(point, known)


def _taken(user: Ref, users: Sequence[Ref], focus: Set[Ref]) -> Iterator[tuple[str, str]]:
    """Find points with several users; all users in focus but the first are reported."""
    for other in users:
        if other < user or (other != user and other not in focus):
            what = f"{TABLES[other[0]]}.{other[1]}"
            yield f"it powers {what} already", _suggest_fix(user, other)
            return


def _suggest_fix(user: Ref, other: Ref) -> str:
    if user[0] == other[0] == "node":
        return "a point powers one node; remove it from one of the two"
    return "a point powers one node or one shared supply; remove it from one of the two"


def _powered_twice(facility: Facility, supply: SharedSupply, focus: Set[Ref]) -> Iterator[ValidationFinding]:
    """Find nodes of a shared supply that have cords of their own or another shared supply."""
    for node in supply.nodes:
        others = [s.key for s in facility.supplies.values() if node in s.nodes and s.key != supply.key]
        for other in others:
            first = other < supply.key and ("supply", other) in focus
            if ("supply", supply.key) in focus and (first or ("supply", other) not in focus):
                place = ("supplies", supply.key, "nodes")
                yield ValidationFinding(
                    place, quoted(node), f"supplies.{other} powers it already", "a node has one shared supply"
                )
        if facility.connections_of(node):
            wrong, suggested_fix = (
                "it has its own feeds",
                "they would count twice: remove them, or remove the node from the shared supply",
            )
            if ("supply", supply.key) in focus:
                yield ValidationFinding(("supplies", supply.key, "nodes"), quoted(node), wrong, suggested_fix)
            elif ("node", node) in focus:
                wrong = f"the node is powered by supplies.{supply.key}"
                yield ValidationFinding(
                    ("nodes", node, "feeds"), quoted(facility.connections_of(node)[0].key), wrong, suggested_fix
                )


def nearest(kind: str, key: str, known: Mapping[str, object]) -> str:
    """Return the suggested fix of an unknown reference: the nearest key, or to declare it."""
    suggested_fix = meant(key, list(known))
    declare = "declare [site]" if kind == "site" else f"declare [{TABLES[kind]}.{key}]"
    return suggested_fix if suggested_fix.endswith("?") else declare


def _points_near(point: str, known: frozenset[str]) -> str:
    suggested_fix = meant(point, sorted(known))
    if suggested_fix.endswith("?"):
        return suggested_fix
    some = sorted(known)[:6]
    return f"it has {', '.join(some)}{' …' if len(known) > len(some) else ''}"


def quoted(text: str) -> str:
    """Return a value as it is written in a file."""
    return json.dumps(text, ensure_ascii=False)
