"""Routes that accept readings and layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict
from typing import Annotated, Any, Literal, NotRequired

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from typing_extensions import TypedDict

from app.api.devices.ingest_queue import IngestQueue
from app.api.devices.models import LayoutsBody
from app.api.http import Access, ActorDep, Json, StoresDep, access
from app.errors import Unavailable, UnsupportedMedia
from app.models import MAY_BE_OMITTED
from app.services.access import Actor, leased_only, record
from app.services.stores import Stores
from app.services.timeseries import Rejection, announce, ingest_arrow, ingest_json

router = APIRouter(prefix="/api/v1", tags=["ingest"], dependencies=[access("readings:write")])

ARROW = "application/vnd.apache.arrow.stream"
_LAYOUT_EXAMPLE = {
    "device": "wt310",
    "group": "main",
    "interval_s": 0.1,
    "series": [{"point": "total", "quantity": "power", "unit": "W"}],
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("IngestBody", "BatchBody")]},
                "example": {
                    "batches": [
                        _LAYOUT_EXAMPLE | {"t": [1754000000000, 1754000000100], "values": [[431.2, 433.0]]},
                    ]
                },
            },
            ARROW: {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


class IngestAnswer(TypedDict):
    """How many frames were stored, stored before, or discarded because they differ from a stored value.

    `rejected`: batches that were not stored; `refused`: readings that cannot be true, left out without any.
    """

    accepted: int
    duplicates: int
    conflicts: int
    rejected: list[Rejection]
    refused: NotRequired[Annotated[int, MAY_BE_OMITTED]]


class AnnouncedLayout(TypedDict):
    """A layout that batches may refer to by its hash."""

    device: str
    group: str
    layout: Annotated[str, Field(description="hash of the layout")]


class LayoutsAnswer(TypedDict):
    """The announced layouts, and those that are invalid."""

    layouts: list[AnnouncedLayout]
    rejected: list[Rejection]


_REPORTS: dict[int | str, dict[str, Any]] = {
    422: {"description": "Something is rejected for good; the rest is stored", "model": IngestAnswer},
    503: {
        "description": "Something is to be sent again; the rest is stored",
        "model": IngestAnswer,
        "headers": {"Retry-After": {"description": "seconds to wait", "schema": {"type": "integer"}}},
    },
}


async def _media_type(request: Request) -> str:
    encoding = request.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise UnsupportedMedia(f"the body is {encoding}-encoded", "send it without an encoding")
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in ("application/json", ARROW):
        raise UnsupportedMedia(f"the body is {media or 'without a type'}", f"application/json or {ARROW}")
    return media


async def _may_create(request: Request, create: Annotated[Literal["meter"] | None, Query(description=(
    "create unknown devices as meters instead of rejecting their batches"
))] = None) -> bool:  # fmt: skip
    if create is None:
        return False
    await Access("admin")(request)
    return True


@router.post(
    "/ingest", summary="Deliver readings", response_model=IngestAnswer, responses=_REPORTS, openapi_extra=_BODY
)
async def deliver_readings(
    request: Request,
    stores: StoresDep,
    actor: ActorDep,
    media_type: Annotated[str, Depends(_media_type)],
    create: Annotated[bool, Depends(_may_create)],
) -> Json:
    """Store one or more batches, each accepted or rejected independently. A repeated delivery changes nothing.

    200 if everything is stored or a duplicate, 422 if something is rejected for good, 503 if something is to be sent
    again; the body is the same, and what could be stored is stored.

    A batch contains its series or the hash of an announced layout. `values` has one row per series, `null` for
    missing. An Arrow stream is one batch: metadata `wattline` of the schema is its layout, column `t` the times [ms],
    then one float64 column per series. Readings that cannot be true are stored as missing; `refused` counts them.

    A request has at most 4 million values, 500,000 frames and 10,000 batches (413). A server ingests four at a time;
    when too many wait, the answer is 503.
    """
    queue: IngestQueue = request.app.state.ingest_queue
    store = ingest_arrow if media_type == ARROW else ingest_json
    async with queue.place(_announced_bytes(request)):
        body = await request.body()
        async with queue.turn():
            if await request.is_disconnected():
                raise Unavailable("the client has given up", "send the same again", code="client_gone")
            only = await run_in_threadpool(leased_only, stores, actor.principal)
            known = await run_in_threadpool(_devices, stores) if create else frozenset()
            result = asdict(await run_in_threadpool(store, stores, body, create=create, only=only))
    if create:
        await run_in_threadpool(_record_meters, stores, actor, known)
    if not result["refused"]:
        del result["refused"]
    answer = Json(result, _status(result["rejected"]))
    if answer.status_code == 503:
        answer.headers["Retry-After"] = str(Unavailable.retry_after_s)
    return answer


def _devices(stores: Stores) -> frozenset[str]:
    return frozenset(stores.facility.now().devices)


def _record_meters(stores: Stores, actor: Actor, known: AbstractSet[str]) -> None:
    """Add an entry to the audit log for each device that a delivery created."""
    for key in sorted(_devices(stores) - known):
        record(stores, actor, "facility.create.device", key, None, {"kind": "meter", "by": "ingest"})


def _announced_bytes(request: Request) -> int | None:
    announced = request.headers.get("content-length", "")
    return int(announced) if announced.isdigit() else None


def _status(rejected: Sequence[Mapping[str, Any]]) -> int:
    if any(row["retryable"] for row in rejected):
        return 503
    return 422 if rejected else 200


@router.post("/layouts", summary="Announce layouts", response_model=LayoutsAnswer)
def announce_layouts(stores: StoresDep, body: LayoutsBody) -> Json:
    """Announce the series of a stream once; batches then refer to the layout by its hash."""
    known, rejected = announce(stores, body.layouts)
    announced = [{"device": one.device, "group": one.group, "layout": one.hash} for one in known]
    return Json({"layouts": announced, "rejected": rejected})
