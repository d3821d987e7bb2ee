"""Routes of facility objects, the same for each kind."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Header, Query, Response
from typing_extensions import TypedDict

from app.api.facility.bodies import request_body
from app.api.facility.object_answers import ANSWERS, object_answer
from app.api.http import ActorDep, Json, Moment, Page, StoresDep, access, utf8
from app.errors import NotFound
from app.services.access import record
from app.services.devices import device_health
from app.services.facility import (
    BODIES,
    PLURALS,
    ObjectChange,
    apply,
    catalog,
    parse,
    record_changes,
    retention_warnings,
    unchecked,
)
from app.services.stores import Stores
from app.store.facility import FacilityObject

At = Annotated[Moment | None, Query(description="the facility at this time; now if omitted")]
Effective = Annotated[Moment | None, Query(description="start of validity; now if omitted")]
IfMatch = Annotated[str | None, Header(description="ETag of the answer that this change builds on")]
JsonObject = Annotated[dict[str, Any], Body()]
CHANGING = [access("admin")]


class Warnings(TypedDict):
    """Why a change has no effect."""

    warnings: list[str]


_WARNING = (
    "the change is effective from 2024-10-05T00:00:00Z, but readings before 2024-11-18T00:00:00Z are deleted: "
    "energies, accounts and figures from before that time do not change"
)
_TOO_LATE: dict[str, Any] = {
    "description": "It has ended, too late to have an effect",
    "model": Warnings,
    "content": {"application/json": {"example": {"warnings": [_WARNING]}}},
}


def _one(
    stores: Stores, kind: str, thing: FacilityObject, status: int = 200, effective_ms: int | None = None
) -> Response:
    """Return an object; `warnings` only if a change of it comes too late to have an effect."""
    health = device_health(stores, [thing.key]) if kind == "device" else None
    body = object_answer(thing, health)
    if late := retention_warnings(stores, [effective_ms]):
        body["warnings"] = late
    answer = Json(body, status)
    answer.headers["ETag"] = catalog.etag(thing)
    if status == 201:
        answer.headers["Location"] = f"{stores.settings.path_prefix}/api/v1/{PLURALS[kind]}/{thing.key}"
    return answer


def _state(stores: Stores, kind: str, key: str) -> dict[str, Any] | None:
    """Return an object as it is now, for the audit log; None without one."""
    try:
        return object_answer(catalog.find(stores.facility.now(), kind, key), None)
    except NotFound:
        return None


def _routes(kind: str, article: str) -> APIRouter:
    """Return the routes GET, POST, PATCH and DELETE of one kind."""
    router = APIRouter(prefix=f"/api/v1/{PLURALS[kind]}", tags=["facility"])
    _add_reading(router, kind, article)
    _add_changing(router, kind, article)
    return router


def _add_reading(router: APIRouter, kind: str, article: str) -> None:
    many = PLURALS[kind]
    answer: Any = ANSWERS[kind]
    reading: dict[str, Any] = {"dependencies": [access("read")]}

    @router.get("", summary=f"List {many}", response_model=Page[answer], operation_id=f"list_{many}", **reading)
    def list_all(
        stores: StoresDep,
        site: Annotated[str | None, Query(description="key of a site")] = None,
        limit: Annotated[int, Query(ge=1, le=1000)] = 100,
        cursor: Annotated[str | None, Query(description="`next` of the previous page")] = None,
        at: At = None,
    ) -> Response:
        page = catalog.listing(stores.facility.at(at or stores.now_ms()), kind, site, limit, cursor)
        health = device_health(stores, [thing.key for thing in page.items]) if kind == "device" else None
        return Json({"items": [object_answer(thing, health) for thing in page.items], "next": page.next})

    @router.get("/{key}", summary=f"Get {article} {kind}", response_model=answer, operation_id=f"get_{kind}", **reading)
    def get(stores: StoresDep, key: str, at: At = None) -> Response:
        return _one(stores, kind, catalog.find(stores.facility.at(at or stores.now_ms()), kind, key))


def _add_changing(router: APIRouter, kind: str, article: str) -> None:
    answer: Any = ANSWERS[kind]
    changing: dict[str, Any] = {"dependencies": CHANGING, "openapi_extra": request_body(kind), "response_model": answer}

    @router.post("", summary=f"Create {article} {kind}", status_code=201, operation_id=f"create_{kind}", **changing)
    def create(stores: StoresDep, actor: ActorDep, body: JsonObject, effective: Effective = None) -> Response:
        made = catalog.create(stores, kind, body, effective)
        record(stores, actor, f"facility.create.{kind}", made.key, None, object_answer(made, None))
        return _one(stores, kind, made, 201, effective)

    @router.patch(
        "/{key}",
        summary=f"Change {article} {kind}",
        description="JSON merge patch: omitted keys stay, `null` clears a key.",
        operation_id=f"change_{kind}",
        **changing | {"openapi_extra": request_body(kind, partly=True)},
    )
    def patch(
        stores: StoresDep,
        actor: ActorDep,
        key: str,
        body: JsonObject,
        effective: Effective = None,
        if_match: IfMatch = None,
    ) -> Response:
        before = _state(stores, kind, key)
        made = catalog.patch(stores, kind, key, body, if_match, effective)
        record(stores, actor, f"facility.change.{kind}", key, before, object_answer(made, None))
        return _one(stores, kind, made, effective_ms=effective)

    @router.delete(
        "/{key}",
        summary=f"End {article} {kind}",
        description="Its past versions stay. Refused while another object refers to it. 200 only with warnings.",
        status_code=204,
        responses={200: _TOO_LATE},
        dependencies=CHANGING,
        operation_id=f"end_{kind}",
    )
    def delete(
        stores: StoresDep, actor: ActorDep, key: str, effective: Effective = None, if_match: IfMatch = None
    ) -> Response:
        before = _state(stores, kind, key)
        catalog.remove(stores, kind, key, if_match, effective)
        record(stores, actor, f"facility.delete.{kind}", key, before, None)
        late = retention_warnings(stores, [effective])
        return Json({"warnings": late}) if late else Response(status_code=204)


router = APIRouter()
for _kind in BODIES:
    router.include_router(_routes(_kind, "an" if _kind == "auth" else "a"))


class AppliedChanges(TypedDict):
    """What a facility file changes, and what is probably not intended."""

    changes: list[ObjectChange]
    warnings: list[str]


@router.post(
    "/api/v1/facility",
    tags=["facility"],
    summary="Apply a facility file",
    description="Validates the whole file and applies it; with any error nothing is applied.",
    dependencies=CHANGING,
    response_model=AppliedChanges,
)
def apply_facility(
    stores: StoresDep,
    actor: ActorDep,
    body: Annotated[bytes, Body(media_type="text/toml", description="the file")],
    dry_run: Annotated[bool, Query(description="only report what would change")] = False,
    prune: Annotated[bool, Query(description="remove objects of the file's site that are not in the file")] = False,
    effective: Effective = None,
) -> Response:
    """Return what changed, by object and field."""
    plan = parse(utf8(body), "facility.toml")
    changes = apply(stores, plan, dry_run=dry_run, prune=prune, effective_ms=effective)
    if changes and not dry_run:
        record_changes(stores, actor, changes)
    return Json({"changes": changes, "warnings": unchecked(stores, plan, effective)})
