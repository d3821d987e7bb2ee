"""Apply a facility file: all of it or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from app.errors import Invalid
from app.services.facility.checks import check, left_behind, made_names
from app.services.facility.cord_checks import Points, Ref
from app.services.facility.effective import retention_warnings
from app.services.facility.file import FacilityPlan, load, written
from app.services.facility.object_changes import ObjectChange
from app.services.facility.objects import KINDS, by_key, made_devices, maker_of
from app.services.facility.schema import TABLES
from app.services.facility.stores import FacilityStores
from app.services.facility.validation_errors import FacilityErrors, LocatedError, ValidationFinding
from app.services.facility.warnings import dead_line_warnings, warnings
from app.store.facility import Device, Facility, FacilityObject, Node, Rack, Room, SharedSupply
from collectors.contract import unknown_profile

Sited = Room | Rack | Device | Node | SharedSupply
_OF_A_SITE = ("supply", "node", "device", "rack", "room")


def apply_file(
    stores: FacilityStores, path: Path, *, dry_run: bool = False, prune: bool = False, effective_ms: int | None = None
) -> list[ObjectChange]:
    """Load a facility file and apply it; see `apply`."""
    return apply(stores, load(path), dry_run=dry_run, prune=prune, effective_ms=effective_ms)


def apply(
    stores: FacilityStores,
    plan: FacilityPlan,
    *,
    dry_run: bool = False,
    prune: bool = False,
    effective_ms: int | None = None,
) -> list[ObjectChange]:
    """Change the facility to what the plan contains and return the changes.

    Parameters
    ----------
    dry_run: only return what would change.
    prune: remove the objects of the plan's site that are not in the plan.
    effective_ms: time from which changes are effective; None for now. New objects are valid for all past time.

    Raises
    ------
    FacilityErrors
        Every mistake, with its line; nothing was applied.
    """
    known = stores.facility.at(stores.now_ms())
    objects = _completed(plan, known)
    removals = [*no_longer_made(objects, known), *(_surplus(plan, objects, known) if prune else ())]
    mistakes = [*plan.mistakes, *map(plan.place, _taken_names(plan, known))]
    focus, points = written(plan), announced_points(stores)

    def guard(facility: Facility) -> None:
        findings = check(facility, focus, points, plan.broken)
        placed = [*mistakes, *map(plan.place, findings), *_left(plan, facility, removals)]
        if placed:
            raise FacilityErrors(placed)

    changes = stores.facility.apply(
        objects,
        removals,
        stores.now_ms() if effective_ms is None else effective_ms,
        guard,
        dry_run,
        {(cord.node, cord.feed): cord.valid_from_ms for cord in plan.cords if cord.valid_from_ms is not None},
    )
    return [ObjectChange.of(change) for change in changes]


def announced_points(stores: FacilityStores) -> Points:
    """Return a function that looks up the points a device has announced, once per device."""
    points: dict[str, frozenset[str] | None] = {}

    def of(device: str) -> frozenset[str] | None:
        if device not in points:
            points[device] = frozenset(series.point for series in stores.frames.series(device)) or None
        return points[device]

    return of


def unchecked(stores: FacilityStores, plan: FacilityPlan, effective_ms: int | None = None) -> list[str]:
    """Return warnings: what could not be checked, what is probably not intended, and what comes too late."""
    late = retention_warnings(stores, [effective_ms, *(cord.valid_from_ms for cord in plan.cords)])
    three = [t.key for t in plan.objects if isinstance(t, Device) and t.breaker is not None and t.breaker.phases == 3]
    lines = dead_line_warnings(stores.frames.latest(three)) if three else []
    known = warnings(stores.facility.at(stores.now_ms()), plan.objects)
    doubtful = [*late, *_unknown_profiles(plan), *lines, *known]
    points = announced_points(stores)
    feeds = [feed for thing in plan.objects if isinstance(thing, Node | SharedSupply) for feed in thing.feeds]
    silent = [device for device in sorted({feed.partition("/")[0] for feed in feeds}) if not points(device)]
    if not silent:
        return doubtful
    some = ", ".join(silent[:6]) + (" …" if len(silent) > 6 else "")
    return [f"points are not checked because the device was never polled: {some}", *doubtful]


def _unknown_profiles(plan: FacilityPlan) -> Iterator[str]:
    profiles = {thing.key: thing.profile for thing in plan.objects if isinstance(thing, Device)}
    reasons = {name: unknown_profile(name) for name in set(profiles.values())}
    return (f"{key}: {reason}" for key, name in profiles.items() if (reason := reasons[name]))


def with_implied(objects: Sequence[FacilityObject], known: Facility, rooms: frozenset[str]) -> list[FacilityObject]:
    """Return the objects, the rooms that are only named, and the devices that follow from nodes."""
    declared = {thing.key for thing in objects if isinstance(thing, Device)}
    site = {thing.room: thing.site for thing in objects if isinstance(thing, Rack)}
    named = [Room(key=key, site=site.get(key)) for key in sorted(rooms) if key not in known.rooms]
    made = [device for thing in objects if isinstance(thing, Node) for device in made_devices(thing)]
    return [*named, *objects, *(device for device in made if device.key not in declared)]


def only_site(facility: Facility) -> str | None:
    """Return the key of the only site; None if there are several or none."""
    return next(iter(facility.sites)) if len(facility.sites) == 1 else None


def _completed(plan: FacilityPlan, known: Facility) -> list[FacilityObject]:
    objects = list(plan.objects)
    if plan.site is None:
        site = only_site(known)
        objects = [replace(thing, site=site) if isinstance(thing, Sited) else thing for thing in objects]
    return with_implied(objects, known, plan.rooms)


def _taken_names(plan: FacilityPlan, known: Facility) -> Iterator[ValidationFinding]:
    """Find devices that follow from nodes but already exist as separate devices."""
    in_file = {thing.key for thing in plan.objects if isinstance(thing, Device)}
    for thing in plan.objects:
        if isinstance(thing, Node):
            yield from made_names(thing, standing_alone(thing, known) - in_file)


def standing_alone(node: Node, known: Facility) -> set[str]:
    """Return the keys of devices that follow from a node but exist as separate devices."""
    standing = [known.devices[made.key] for made in made_devices(node) if made.key in known.devices]
    return {device.key for device in standing if maker_of(known, device) is None}


def no_longer_made(objects: Sequence[FacilityObject], known: Facility) -> list[Ref]:
    """Return the devices that followed from these nodes before and no longer do."""
    kept = {thing.key for thing in objects if isinstance(thing, Device)}
    gone: list[Ref] = []
    for thing in objects:
        before = known.nodes.get(thing.key) if isinstance(thing, Node) else None
        if before is not None:
            made = [device.key for device in made_devices(before)]
            gone += [("device", key) for key in made if key in known.devices and key not in kept]
    return gone


def _surplus(plan: FacilityPlan, objects: Sequence[FacilityObject], known: Facility) -> list[Ref]:
    if plan.site is None:
        raise Invalid("removing what is not in the file needs its [site]", 'add [site] with key = "…" to the file')
    kept = {(KINDS[type(thing)], thing.key) for thing in objects} | {("room", key) for key in plan.rooms}
    gone = set(no_longer_made(objects, known))
    return [
        (kind, key)
        for kind in _OF_A_SITE
        for key, thing in by_key(known, kind).items()
        if getattr(thing, "site", None) == plan.site and (kind, key) not in kept and (kind, key) not in gone
    ]


def _left(plan: FacilityPlan, facility: Facility, removals: Sequence[Ref]) -> Iterator[LocatedError]:
    """Find objects outside the file that refer to objects to be removed."""
    inside = written(plan)
    for reference in left_behind(facility, set(removals)):
        if reference.source not in inside:
            kind, key = reference.target
            value = json.dumps(key, ensure_ascii=False)
            wrong = f"{TABLES[kind]}.{key} is not in the file, but this refers to it"
            yield LocatedError(
                plan.file, 1, ValidationFinding(reference.place, value, wrong, "change it first, or keep the object")
            )
