"""What collectors ask for, and what they report beside readings."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path

from app.api.devices.models import EventsBody, LeaseBody, PollsBody
from app.api.http import Json, StoresDep, access
from app.domain.timeseries import rfc3339
from app.services.devices import DEFAULT_INTERVAL_S, DEFAULT_TIMEOUT_S, LeasedDevice, lease

router = APIRouter(prefix="/api/v1", tags=["collectors"], dependencies=[access("ingest")])

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="the collector's own name")]


@router.post("/collectors/{name}/lease", summary="Take or renew the devices to poll")
def take_lease(stores: StoresDep, name: Name, body: LeaseBody | None = None) -> Json:
    """The devices that no other collector polls, until when, and references to the secrets they need."""
    asked = body or LeaseBody()
    told = {device: polling.to_polling() for device, polling in asked.polling.items()}
    until_ms, lent = lease(stores, name, round(asked.for_s * 1000), told, asked.now)
    return Json({"until": rfc3339(until_ms), "devices": [_device(one) for one in lent]})


@router.post("/polls", summary="Report polls that failed")
def polls(stores: StoresDep, body: PollsBody) -> Json:
    """Kept once each, so that the health of a device is a chart."""
    new = stores.health.record_failures([poll.to_failure() for poll in body.polls])
    return Json({"accepted": new, "duplicates": len(body.polls) - new})


@router.post("/events", summary="Report events")
def events(stores: StoresDep, body: EventsBody) -> Json:
    """Traps, resets of counters, restarts; kept once each."""
    new = stores.health.record_events([event.to_event() for event in body.events])
    return Json({"accepted": new, "duplicates": len(body.events) - new})


def _device(lent: LeasedDevice) -> dict[str, Any]:
    device = lent.device
    return {
        "key": device.key,
        "kind": device.kind,
        "profile": device.profile,
        "address": device.address,
        "interval_s": device.interval_s or DEFAULT_INTERVAL_S,
        "timeout_s": device.timeout_s or DEFAULT_TIMEOUT_S,
        "auth": dict(lent.auth.settings) if lent.auth else None,
        "node": device.node,
    }
