"""Read, create, change and end single facility objects, with the keys and checks of the facility file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from pydantic import ValidationError

from app.errors import Conflict, Invalid, Mistake, NotFound, Stale
from app.services.facility.apply_facility import (
    Sited,
    announced_points,
    no_longer_made,
    only_site,
    standing_alone,
    with_implied,
)
from app.services.facility.checks import check, left_behind, made_names
from app.services.facility.cord_checks import Ref
from app.services.facility.object_changes import ObjectChange
from app.services.facility.objects import PLURALS, build, by_key, describe, made_devices, maker_of
from app.services.facility.schema import BODIES, TABLES
from app.services.facility.stores import FacilityStores
from app.services.facility.validation_errors import ValidationFinding, explain
from app.store.facility import Device, Facility, FacilityObject, Node, Rack

Body = Mapping[str, object]


@dataclass(frozen=True)
class ObjectPage:
    """A page of objects sorted by key, and the cursor of the next page."""

    items: Sequence[FacilityObject]
    next: str | None


def listing(facility: Facility, kind: str, site: str | None, limit: int, cursor: str | None) -> ObjectPage:
    """Return a page of the objects of a kind (of a site; models and auths belong to all sites)."""
    things = [
        thing
        for key, thing in by_key(facility, kind).items()
        if (cursor is None or key > cursor) and (site is None or getattr(thing, "site", site) == site)
    ]
    return ObjectPage(things[:limit], things[limit - 1].key if len(things) > limit else None)


def find(facility: Facility, kind: str, key: str) -> FacilityObject:
    """Return one object.

    Raises
    ------
    NotFound
    """
    thing = by_key(facility, kind).get(key)
    if thing is None:
        raise NotFound(f"there is no {kind} {key!r}", f"GET /api/v1/{PLURALS[kind]} lists them")
    return thing


def etag(thing: FacilityObject) -> str:
    """Return the ETag of an object."""
    text = orjson.dumps(describe(thing), option=orjson.OPT_SORT_KEYS)
    return f'"{hashlib.sha256(text).hexdigest()[:20]}"'


def create(stores: FacilityStores, kind: str, body: Body, effective_ms: int | None = None) -> FacilityObject:
    """Create an object.

    Raises
    ------
    Conflict
        The key exists.
    Invalid
        All errors of the body.
    """
    thing = _read(kind, body, stores.facility.at(stores.now_ms()))

    def require(before: Facility) -> None:
        if thing.key in by_key(before, kind):
            hint = f"PATCH /api/v1/{PLURALS[kind]}/{thing.key} changes it"
            raise Conflict(f"the {kind} {thing.key!r} already exists", hint, code="exists")

    return _write(stores, kind, thing, require, effective_ms)


def patch(
    stores: FacilityStores,
    kind: str,
    key: str,
    body: Body,
    if_match: str | None = None,
    effective_ms: int | None = None,
) -> FacilityObject:
    """Change some keys of an object (JSON merge patch: null clears a key).

    Raises
    ------
    NotFound, Stale, Invalid
    Conflict
        It follows from a node.
    """
    known = stores.facility.at(stores.now_ms())
    before = find(known, kind, key)
    _require_match(before, if_match)
    _require_independent(known, before)
    if body.get("key", key) != key:
        raise Invalid("a key cannot be changed", "create another object and delete this one", code="key_changed")
    thing = _read(kind, _merged(describe(before), body), known)
    return _write(stores, kind, thing, lambda now: _require_unchanged(now, kind, before), effective_ms)


def remove(
    stores: FacilityStores, kind: str, key: str, if_match: str | None = None, effective_ms: int | None = None
) -> list[ObjectChange]:
    """End an object; its past versions stay.

    Raises
    ------
    NotFound, Stale
    Conflict
        Something still refers to it, or it follows from a node.
    """
    known = stores.facility.at(stores.now_ms())
    before = find(known, kind, key)
    _require_match(before, if_match)
    _require_independent(known, before)
    gone: list[Ref] = [(kind, key)]
    if isinstance(before, Node):
        gone += [("device", device.key) for device in made_devices(before) if device.key in known.devices]

    def guard(facility: Facility) -> None:
        _require_unchanged(stores.facility.at(stores.now_ms()), kind, before)
        left = [f"{'.'.join(ref.place)}" for ref in left_behind(facility, set(gone))]
        if left:
            some = ", ".join(left[:5]) + (f" and {len(left) - 5} more" if len(left) > 5 else "")
            raise Conflict(f"{TABLES[kind]}.{key} is still named by {some}", "change those first", code="in_use")

    return [ObjectChange.of(c) for c in stores.facility.apply([], gone, _since(stores, effective_ms), guard)]


def sign_in_settings(body: Body) -> Mapping[str, Any]:
    """Return the settings of an auth that is not in the facility, checked like one that is.

    Raises
    ------
    Invalid
        All errors; no secret is repeated in them.
    """
    class_ = BODIES["auth"]
    try:
        entry = class_.model_validate({"key": "sign-in", **body})
    except ValidationError as error:
        raise _invalid(explain(error, class_, (TABLES["auth"], "sign-in"))) from None
    return entry.model_dump(exclude={"key", "label"}, exclude_none=True)


def _since(stores: FacilityStores, effective_ms: int | None) -> int:
    return stores.now_ms() if effective_ms is None else effective_ms


def _read(kind: str, body: Body, known: Facility) -> FacilityObject:
    key = body.get("key")
    base = (TABLES[kind], key) if isinstance(key, str) else (TABLES[kind],)
    try:
        entry = BODIES[kind].model_validate(body)
    except ValidationError as error:
        raise _invalid(explain(error, BODIES[kind], base)) from None
    thing = build(kind, str(key), entry, getattr(entry, "site", None))
    if isinstance(thing, Sited) and thing.site is None:
        rack = known.racks.get(thing.rack) if isinstance(thing, Device | Node) and thing.rack else None
        thing = replace(thing, site=rack.site if rack else only_site(known))
    return thing


def _invalid(findings: Sequence[ValidationFinding]) -> Invalid:
    rest = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    return Invalid(
        f"{findings[0].thing}: {findings[0].wrong}{rest}",
        findings[0].suggested_fix,
        errors=[Mistake(finding.thing, finding.wrong, finding.suggested_fix) for finding in findings],
        code="bad_facility",
    )


def _write(
    stores: FacilityStores,
    kind: str,
    thing: FacilityObject,
    require: Callable[[Facility], None],
    effective_ms: int | None,
) -> FacilityObject:
    """Store an object and what follows from it, if `require` accepts the facility and the checks the new one."""
    known = stores.facility.at(stores.now_ms())
    require(known)
    rooms = frozenset({thing.room}) if isinstance(thing, Rack) and thing.room else frozenset()
    objects = with_implied([thing], known, rooms)
    points = announced_points(stores)

    def guard(facility: Facility) -> None:
        require(stores.facility.at(stores.now_ms()))
        findings = check(facility, {(kind, thing.key)}, points)
        if isinstance(thing, Node):
            findings += made_names(thing, standing_alone(thing, known))
        if findings:
            raise _invalid(findings)

    stores.facility.apply(objects, no_longer_made(objects, known), _since(stores, effective_ms), guard)
    return find(stores.facility.at(max(stores.now_ms(), _since(stores, effective_ms))), kind, thing.key)


def _merged(old: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a patch into an object (RFC 7396)."""
    merged = {name: value for name, value in old.items() if value is not None}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, Mapping) and isinstance(merged.get(name), Mapping):
            merged[name] = _merged(merged[name], value)
        else:
            merged[name] = value
    return merged


def _require_match(thing: FacilityObject, if_match: str | None) -> None:
    if if_match is None or if_match.strip() == "*":
        return
    if etag(thing) not in [tag.strip() for tag in if_match.split(",")]:
        raise Stale(f"{thing.key!r} has another ETag than If-Match", "GET it again, and send the ETag of that answer")


def _require_unchanged(now: Facility, kind: str, before: FacilityObject) -> None:
    if by_key(now, kind).get(before.key) != before:
        raise Stale(f"{before.key!r} changed while this request ran", "GET it again and repeat the request")


def _require_independent(known: Facility, thing: FacilityObject) -> None:
    maker = maker_of(known, thing) if isinstance(thing, Device) else None
    if maker is not None:
        field = "bmc" if thing.key.endswith("-bmc") else "exporters"
        hint = f"PATCH {field} of /api/v1/nodes/{maker.key}"
        raise Conflict(
            f"the device {thing.key!r} follows from {field} of node {maker.key!r}", hint, code="made_by_node"
        )
