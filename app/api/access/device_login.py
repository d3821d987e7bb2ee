"""`wattline login`: a command gets a token after a user has compared a code on a page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.access.models import ShortText
from app.api.gate import Throttle
from app.api.http import ActorDep, Json, StoresDep, access, own_url
from app.domain.timeseries import rfc3339
from app.errors import NotFound
from app.models import Time
from app.services import access as service
from app.services.access import NewToken

public = APIRouter(prefix="/api/v1/device-login", tags=["access"], dependencies=[access("public")])
router = APIRouter(prefix="/api/v1/device-login", tags=["access"], dependencies=[access("signed-in")])

INTERVAL_S = 3
UserCode = Annotated[str, Path(max_length=40, description="what the command shows, such as BCDF-GHJK")]


class DeviceLoginBody(BaseModel):
    """A command that wants to be let in."""

    model_config = ConfigDict(extra="forbid")

    host: ShortText = Field(min_length=1, description="name of its machine, for the user", examples=["login1"])


class RedeemBody(BaseModel):
    """The secret of a command that waits."""

    model_config = ConfigDict(extra="forbid")

    device_code: ShortText


class DecisionBody(BaseModel):
    """Whether a command is let in."""

    model_config = ConfigDict(extra="forbid")

    allow: bool


class DeviceLoginAnswer(TypedDict):
    """What a command shows, and how it goes on: it asks for its token every `interval_s` until `until`."""

    device_code: str
    user_code: Annotated[str, Field(examples=["BCDF-GHJK"])]
    url: str
    until: Time
    interval_s: int


class WaitingCommand(TypedDict):
    """A command that waits, as it describes itself, and the address that it asks from."""

    host: str
    address: str
    until: Time


@public.post("", summary="Ask to be let in", status_code=201, response_model=DeviceLoginAnswer)
def begin_device_login(request: Request, stores: StoresDep, body: DeviceLoginBody) -> Json:
    """Return a code that a user compares at `url`, after which POST …/token returns a token of that user."""
    made = service.begin_device_login(stores, body.host, _address(request))
    url = own_url(request, f"/connect?code={made.user_code}")
    until = rfc3339(made.until_ms)
    answer = {"device_code": made.device_code, "user_code": made.user_code, "url": url, "until": until}
    return Json(answer | {"interval_s": INTERVAL_S}, 201)


@public.post("/token", summary="Take the token", status_code=201, response_model=NewToken)
def redeem_device_login(stores: StoresDep, body: RedeemBody) -> Json:
    """409 `authorization_pending` until a user decides, 403 `access_denied` after a refusal, 404 `expired_token`."""
    return Json(service.redeem_device_login(stores, body.device_code), 201)


@router.get("/{user_code}", summary="A command that waits", response_model=WaitingCommand)
def get_device_login(request: Request, stores: StoresDep, actor: ActorDep, user_code: UserCode) -> Json:
    """Return which machine asks, so that a user can compare it. For users who signed in on a page."""
    throttle: Throttle = request.app.state.sign_in_throttle
    throttle.require(_address(request))
    try:
        found = service.waiting_command(stores, actor, user_code)
    except NotFound:
        throttle.count(_address(request), user_code)
        raise
    return Json({"host": found.host, "address": found.address, "until": rfc3339(found.until_ms)})


@router.post("/{user_code}", summary="Let a command in", status_code=204)
def decide_device_login(
    request: Request, stores: StoresDep, actor: ActorDep, user_code: UserCode, body: DecisionBody
) -> Response:
    """Allow or refuse. The command gets a token of this user: `read` and, if the roles allow it, `jobs:write`."""
    throttle: Throttle = request.app.state.sign_in_throttle
    throttle.require(_address(request))
    try:
        service.decide_device_login(stores, actor, user_code, allow=body.allow)
    except NotFound:
        throttle.count(_address(request), user_code)
        raise
    return Response(status_code=204)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
