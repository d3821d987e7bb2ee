"""Facility objects as answers: the fields that their classes declare, their validity, and the health of devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model
from typing_extensions import TypedDict

from app.domain.timeseries import rfc3339
from app.models import MAY_BE_OMITTED, OBJECTS, Time, declared_fields
from app.services.facility import describe
from app.store.devices import DeviceHealth
from app.store.facility import FacilityObject

_PLAIN = {"key": "short name, unique and permanent", "label": "free text", "site": "key of its site"}


class LastFailure(TypedDict):
    """The last failed poll of a device."""

    t: Time
    code: str
    detail: str


class DeviceHealthAnswer(TypedDict):
    """The last reading of a device, and its failed polls of the last 24 hours."""

    last_reading: Time | None
    failures_24h: int
    last_failure: LastFailure | None


class _Valid(BaseModel):
    valid_from: Time | None = Field(description="since when it is as shown; null: for all past time")
    valid_to: Time | None = Field(description="until when; null: until now")
    warnings: Annotated[list[str] | None, MAY_BE_OMITTED] = Field(
        default=None, description="why a change has no effect, if so; otherwise left out"
    )


def _model(kind: str) -> type[BaseModel]:
    class_: Callable[..., Any] = OBJECTS[kind]
    fields: dict[str, Any] = {}
    for field in declared_fields(class_):
        if field.name in ("version", "valid_from_ms", "valid_to_ms", "settings"):
            continue
        description = field.key.description if field.key else _PLAIN[field.name]
        fields[field.name] = (field.type | None if field.nullable else field.type, Field(description=description))
    if kind == "device":
        fields["health"] = (DeviceHealthAnswer, ...)
    model: type[BaseModel] = create_model(f"{class_.__name__}Answer", __base__=_Valid, __doc__=class_.__doc__, **fields)
    return model


class AuthAnswer(_Valid):
    """How to sign in at devices: its settings, with references to secrets and never the secrets."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    key: str = Field(description=_PLAIN["key"])
    label: str | None = Field(description=_PLAIN["label"])


ANSWERS: dict[str, type[BaseModel]] = {kind: AuthAnswer if kind == "auth" else _model(kind) for kind in OBJECTS}
"""Kind of object → the declaration of its answer."""


def object_answer(thing: FacilityObject, health: Mapping[str, DeviceHealth] | None) -> dict[str, Any]:
    """Return an object as answers show it."""
    validity = {"valid_from": rfc3339(thing.valid_from_ms or None), "valid_to": rfc3339(thing.valid_to_ms)}
    answer = {**describe(thing), **validity}
    if health is not None:
        answer["health"] = _health(health[thing.key])
    return answer


def _health(health: DeviceHealth) -> DeviceHealthAnswer:
    failure = health.last_failure
    last: LastFailure | None = None
    if failure is not None:
        last = {"t": str(rfc3339(failure.t_ms)), "code": failure.code, "detail": failure.detail}
    return {
        "last_reading": rfc3339(health.last_t_ms),
        "failures_24h": health.failures,
        "last_failure": last,
    }
