"""Live values as server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event

from app.api.http import Json, StoresDep, access, file_answer, in_shown_zone
from app.api.live.shared_events import EVERY_S, SharedEvents, event
from app.api.live.shared_titles import SharedTitles
from app.services.live import LiveFilter, LiveValues, LiveView, wanted

router = APIRouter(prefix="/api/v1", tags=["live"], dependencies=[access("read")])

HEARTBEAT_S = 15.0

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


Titles = Annotated[bool, Query(description="also send an event `titles` whenever a title of the facility page changes")]


@router.get(
    "/live",
    summary="Live values",
    response_class=StreamingResponse,
    responses=_EVENTS,
    dependencies=[in_shown_zone()],
)
async def stream_live_values(
    request: Request, which: Annotated[LiveFilter, Depends(_filter)], *, titles: Titles = False
) -> StreamingResponse:
    """Sends an event `snapshot`, then `update` with what changed, at most one a second; a comment when nothing changes.

    `{"t": ms, "sites", "rooms", "racks", "pdus", "nodes": {key: power}, "devices": {key: {"t", "state"}}, "alerts":
    {"active", "crit", "unacknowledged"}}`. A power holds `power_w` (null unless every part has a current reading),
    `known_w` (the sum of the current readings, a lower bound), `missing` (`count` and the first 50 `keys`: a device
    that does not respond, `device/point`, `NODE/wall` without a meter, `NODE/rest` beyond its components,
    `DEVICE/unread` while the database cannot read the device),
    `last_known_w` of the missing parts with the time of the oldest `last_known_t` (of the last 24 h), `estimate_w`
    (known + last known), `t` of the oldest reading, and `derived_s`, the longest span [s] of a mean power in it that
    comes from an energy register (null where all is measured); a node also `source` and `instead_of` (its usual
    source), a sum `basis`, `substitutes` (nodes that another source measures) and `other_w` (inlets beyond the nodes of
    a rack). `alerts` is sent when a number changed. A client that reconnects gets a new snapshot.

    With `titles=true` the page of the facility also gets its sentences, as an event `titles` of its own: `title`, and
    `titles`, `undecided` and `worst_titles` by measure, as in `GET /facility`.
    """
    state = request.app.state
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        _events(state.live_events, which, state.live_titles if titles else None),
        media_type="text/event-stream",
        headers=headers,
    )


@router.get("/power", summary="Power now", response_model=LiveValues)
def get_power(view: Annotated[LiveView, Depends(get_live)], which: Annotated[LiveFilter, Depends(_filter)]) -> Json:
    """Return what an event `snapshot` of `/live` holds: the power of sites, rooms, racks, PDUs and nodes, once."""
    return Json(view.snapshot().only(which).to_wire())


async def _events(shared: SharedEvents, which: LiveFilter, titles: SharedTitles | None) -> AsyncIterator[bytes]:
    sent = await shared.first()
    yield event("snapshot", sent.only(which))
    said = b""
    quiet_s = 0.0
    while (now := await shared.following()) is not None:
        news = shared.update(sent, now, which)
        sent = now
        if titles is not None and (words := await titles.event(now)) != said:
            said = words
            news += words
        quiet_s = 0.0 if news else quiet_s + EVERY_S
        if news:
            yield news
        elif quiet_s >= HEARTBEAT_S:
            quiet_s = 0.0
            yield format_sse_event(comment="nothing new")
