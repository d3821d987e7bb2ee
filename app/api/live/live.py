"""Live values as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from app.api.http import Json, StoresDep, access, file_answer
from app.services.live import LiveFilter, LiveValues, LiveView, Snapshot, wanted

router = APIRouter(prefix="/api/v1", tags=["live"], dependencies=[access("read")])

EVERY_S = 1.0
HEARTBEAT_S = 15.0
_STEP_S = 0.1

_EVENTS = file_answer(
    "text/event-stream",
    "Server-sent events `snapshot` and `update`; `data` of each is one JSON object.",
    {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": {"$ref": "#/components/schemas/LiveValues"},
    },
)


def _filter(
    stores: StoresDep,
    rack: Annotated[str | None, Query(description="a rack with its nodes and devices")] = None,
    node: Annotated[str | None, Query(description="a node with its feeds and exporters")] = None,
    device: str | None = None,
) -> LiveFilter:
    return wanted(stores, rack, node, device)


def get_live(request: Request) -> LiveView:
    """Return the view that all clients of this process share."""
    view: LiveView = request.app.state.live
    return view


@router.get("/live", summary="Live values", response_class=StreamingResponse, responses=_EVENTS)
async def stream_live_values(
    stores: StoresDep, view: Annotated[LiveView, Depends(get_live)], which: Annotated[LiveFilter, Depends(_filter)]
) -> StreamingResponse:
    """Sends an event `snapshot`, then `update` with what changed, at most one a second; a comment when nothing changes.

    `{"t": ms, "sites", "rooms", "racks", "pdus", "nodes": {key: power}, "devices": {key: {"t", "state"}}, "alerts":
    {"active", "crit", "unacknowledged"}}`. A power holds `power_w` (null unless every part has a current reading),
    `known_w` (the sum of the current readings, a lower bound), `missing` (`count` and the first 50 `keys`: a device
    that does not respond, `device/point`, `NODE/wall` without a meter, `NODE/rest` beyond its components),
    `last_known_w` of the missing parts with the time of the oldest `last_known_t` (of the last 24 h), `estimate_w`
    (known + last known), `t` of the oldest reading, and `derived_s`, the longest span [s] of a mean power in it that
    comes from an energy register (null where all is measured); a node also `source` and `instead_of` (its usual
    source), a sum `basis`, `substitutes` (nodes that another source measures) and `other_w` (inlets beyond the nodes of
    a rack). `alerts` is sent when a number changed. A client that reconnects gets a new snapshot.
    """
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(view, which), media_type="text/event-stream", headers=headers)


@router.get("/power", summary="Power now", response_model=LiveValues)
def get_power(view: Annotated[LiveView, Depends(get_live)], which: Annotated[LiveFilter, Depends(_filter)]) -> Json:
    """Return what an event `snapshot` of `/live` holds: the power of sites, rooms, racks, PDUs and nodes, once."""
    return Json(view.snapshot().only(which).to_wire())


async def _events(view: LiveView, which: LiveFilter) -> AsyncIterator[bytes]:
    sent = (await run_in_threadpool(view.snapshot)).only(which)
    yield _event("snapshot", sent)
    quiet_s = 0.0
    while await _pause(view):
        now = (await run_in_threadpool(view.snapshot)).only(which)
        news = now.since(sent)
        sent = now
        quiet_s = quiet_s + EVERY_S if news.is_empty else 0.0
        if not news.is_empty:
            yield _event("update", news)
        elif quiet_s >= HEARTBEAT_S:
            quiet_s = 0.0
            yield format_sse_event(comment="nothing new")


async def _pause(view: LiveView) -> bool:
    """Wait for the next second in short steps; False when the server stops."""
    stopping = view.stores.stopping
    for _ in range(round(EVERY_S / _STEP_S)):
        if stopping.is_set():
            return False
        await asyncio.sleep(_STEP_S)
    return not stopping.is_set()


def _event(name: str, snapshot: Snapshot) -> bytes:
    return format_sse_event(event=name, id=str(snapshot.t_ms), data_str=orjson.dumps(snapshot.to_wire()).decode())
