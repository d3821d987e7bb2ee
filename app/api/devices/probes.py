"""Routes with which an administrator lets a collector read a device that is not in the facility yet."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.http import ActorDep, Json, StoresDep, Text, access
from app.domain.timeseries import rfc3339
from app.errors import Invalid
from app.models import Name, Time
from app.services.access import record
from app.services.devices import ProbeProblem, ProbeRequest, ProbeState, ask_for_probe, find_probe, state_of
from app.services.facility import catalog
from app.services.stores import Stores
from app.store.devices import DeviceProbe

router = APIRouter(prefix="/api/v1/probes", tags=["facility"], dependencies=[access("admin")])


class ProbeRequestBody(BaseModel):
    """A device that a collector reads once."""

    model_config = ConfigDict(extra="forbid")

    address: Text = Field(examples=["snmp://10.0.0.7"], description="address as in the facility file")
    profile: Name = Field(default="auto", description="name of a device profile, or auto")
    auth: Text | None = Field(default=None, description="key of an auth of the facility")
    settings: dict[str, str | bool | None] | None = Field(
        default=None,
        description="keys of an auth that is not in the facility; secrets are references",
        examples=[{"snmp": "2c", "community": "env:PDU_COMMUNITY"}],
    )
    site: Text | None = Field(default=None, description="the site whose collectors may read it")


class ProbedValue(TypedDict):
    """One value of a device that was read once, in the base unit of its quantity; null if it has none now."""

    point: str
    quantity: str
    value: float | None
    unit: str
    sensor: str


class ProbedDevice(TypedDict):
    """What a collector read from a device.

    `kind`: kind of device in the facility, empty where it follows from the address. `generic`: generic profiles that
    were read too. `missing`: values of the profile that it did not return. `notes`: findings, such as that the profile
    fits only in part.
    """

    profile: str
    vendor: str
    model: str
    kind: str
    generic: list[str]
    notes: list[str]
    readings: list[ProbedValue]
    missing: list[str]


class ProbeAnswer(TypedDict):
    """A probe: its state, and what was read or why nothing could be. How to sign in is not repeated."""

    id: str
    address: str
    collector: Annotated[str, Field(description="the collector that reads it")]
    asked: Time
    state: ProbeState
    report: ProbedDevice | None
    problem: ProbeProblem | None


@router.post("", summary="Read a device once", status_code=202, response_model=ProbeAnswer)
def create_probe(stores: StoresDep, actor: ActorDep, body: ProbeRequestBody) -> Json:
    """Let a collector read a device that is not in the facility: its identity and every value.

    The collector reads it if `WATTLINE_DEVICE_NETWORKS` names its network, and sends secrets as `WATTLINE_SECRETS`
    allows. The answer is in `GET /api/v1/probes/{id}` after a few seconds.
    """
    if body.auth is not None and body.settings is not None:
        raise Invalid("an auth and settings", "send one of auth and settings")
    settings = None if body.settings is None else catalog.sign_in_settings(body.settings)
    probe = ask_for_probe(stores, ProbeRequest(body.address, body.profile, body.auth, settings, body.site))
    asked = {"collector": probe.collector, "profile": probe.profile, "auth": body.auth}
    record(stores, actor, "device.probe", probe.address, None, asked)
    return _answer(stores, probe, 202)


@router.get("/{probe_id}", summary="Get a probe", response_model=ProbeAnswer)
def get_probe(stores: StoresDep, probe_id: Text) -> Json:
    """Return the state of a probe, and what was read. It is deleted after an hour."""
    return _answer(stores, find_probe(stores, probe_id))


def _answer(stores: Stores, probe: DeviceProbe, status: int = 200) -> Json:
    state, problem = state_of(probe, stores.now_ms())
    answer = {
        "id": probe.id,
        "address": probe.address,
        "collector": probe.collector,
        "asked": rfc3339(probe.asked_ms),
        "state": state,
        "report": probe.report,
        "problem": problem,
    }
    return Json(answer, status)
