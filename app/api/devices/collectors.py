"""Routes of collectors: leases, probes, failed polls and events."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from typing_extensions import TypedDict

from app.api.devices.models import INSTANCE, EventsBody, LeaseBody, PollsBody, ProbeBody
from app.api.http import Json, PrincipalDep, StoresDep, Text, access
from app.domain.timeseries import rfc3339
from app.models import Time
from app.services.access import require_collector, require_leased
from app.services.devices import (
    DEFAULT_INTERVAL_S,
    DEFAULT_TIMEOUT_S,
    LeasedDevice,
    finish_probe,
    lease,
    probes_to_run,
)

router = APIRouter(prefix="/api/v1", tags=["collectors"], dependencies=[access("readings:write")])

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$", description="name of the collector")]
Instance = Annotated[str | None, Query(pattern=INSTANCE, description="of the collector that stops")]


class DeviceToPoll(TypedDict):
    """A device that a collector polls. `auth`: how to sign in, as references to secrets.

    `fence`: number of this lease, to be sent with its readings. `from_s`, `until_s`: seconds from now in which polls
    begin and end, while the device passes from one collector to another.
    """

    key: str
    kind: str
    profile: str | None
    address: str | None
    interval_s: float
    timeout_s: float
    auth: dict[str, str] | None
    ct_primary_a: float | None
    node: str | None
    fence: int
    from_s: float | None
    until_s: float | None


class DeviceToProbe(TypedDict):
    """A device that a collector reads once and reports. `auth`: how to sign in, as references to secrets."""

    id: str
    address: str
    profile: str
    auth: dict[str, str | bool]


class LeaseAnswer(TypedDict):
    """The devices that a collector polls until a time; it renews the lease before. `now`: the server's clock.

    `probes`: devices that it reads once, each sent once.
    """

    now: Time
    until: Time
    devices: list[DeviceToPoll]
    probes: list[DeviceToProbe]


class Recorded(TypedDict):
    """How many records are new, and how many were stored before."""

    accepted: int
    duplicates: int


@router.post("/collectors/{name}/lease", summary="Lease devices to poll", response_model=LeaseAnswer)
def lease_devices(stores: StoresDep, principal: PrincipalDep, name: Name, body: LeaseBody | None = None) -> Json:
    """Lease or renew the devices that are a collector's share. Credentials are returned as references.

    409 `collector_name_taken`: another instance of this name holds the leases.
    """
    require_collector(principal, name)
    wanted = body or LeaseBody()
    reported = {device: polling.to_polling() for device, polling in wanted.polling.items()}
    until_ms, leased = lease(
        stores, name, round(wanted.for_s * 1000), reported, wanted.now, wanted.round_trip_ms, wanted.instance
    )
    now = rfc3339(stores.now_ms())
    probes: list[DeviceToProbe] = [
        {"id": one.id, "address": one.address, "profile": one.profile, "auth": dict(one.settings)}
        for one in probes_to_run(stores, name)
    ]
    devices = [_device(one) for one in leased]
    return Json({"now": now, "until": rfc3339(until_ms), "devices": devices, "probes": probes})


@router.delete("/collectors/{name}/lease", summary="Give leased devices back", status_code=204, response_class=Response)
def release_devices(stores: StoresDep, principal: PrincipalDep, name: Name, instance: Instance = None) -> Response:
    """End the leases of a collector that stops, so that others poll its devices at once; not those of another instance
    of its name.
    """
    require_collector(principal, name)
    stores.leases.release(name, instance)
    return Response(status_code=204)


@router.post("/collectors/{name}/probes/{probe_id}", summary="Report a probe", status_code=204, response_class=Response)
def report_probe(stores: StoresDep, principal: PrincipalDep, name: Name, probe_id: Text, body: ProbeBody) -> Response:
    """Store what a collector read from a device that it was to read once, or why it could not."""
    require_collector(principal, name)
    report = body.report.model_dump() if body.report else None
    finish_probe(stores, probe_id, name, report, body.problem.model_dump() if body.problem else None)
    return Response(status_code=204)


@router.post("/polls", summary="Report failed polls", response_model=Recorded)
def report_polls(stores: StoresDep, principal: PrincipalDep, body: PollsBody) -> Json:
    """Store failed polls; a repeated one is stored once."""
    require_leased(stores, principal, [poll.device for poll in body.polls])
    new = stores.health.record_failures([poll.to_failure() for poll in body.polls])
    return Json({"accepted": new, "duplicates": len(body.polls) - new})


@router.post("/events", summary="Report events", response_model=Recorded)
def report_events(stores: StoresDep, principal: PrincipalDep, body: EventsBody) -> Json:
    """Store traps, counter resets and restarts; a repeated one is stored once."""
    require_leased(stores, principal, [event.device for event in body.events])
    new = stores.health.record_events([event.to_event() for event in body.events])
    return Json({"accepted": new, "duplicates": len(body.events) - new})


def _device(leased: LeasedDevice) -> DeviceToPoll:
    device = leased.device
    return {
        "key": device.key,
        "kind": device.kind,
        "profile": device.profile,
        "address": device.address,
        "interval_s": device.interval_s or DEFAULT_INTERVAL_S,
        "timeout_s": device.timeout_s or DEFAULT_TIMEOUT_S,
        "auth": dict(leased.auth.settings) if leased.auth else None,
        "ct_primary_a": device.ct_primary_a,
        "node": device.node,
        "fence": leased.fence,
        "from_s": leased.from_s,
        "until_s": leased.until_s,
    }
