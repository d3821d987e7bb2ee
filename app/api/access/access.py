"""Sign in and out, and who one is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import anyio
from fastapi import APIRouter, Request, Response

from app.api.access.models import (
    AcceptLinkBody,
    LinkAnswer,
    LinkBody,
    Me,
    PasswordBody,
    SignedOut,
    SignInBody,
    SignInWays,
    me_answer,
)
from app.api.gate import Throttle
from app.api.http import (
    ActorDep,
    Json,
    PrincipalDep,
    StoresDep,
    access,
    delete_session_cookie,
    own_url,
    set_session_cookie,
)
from app.domain.access import SCOPES, Principal
from app.errors import Unauthorized
from app.services import access as service
from app.services.facility import site_name
from app.services.single_sign_on import IdentityProvider
from app.services.stores import Stores

public = APIRouter(prefix="/api/v1", tags=["access"], dependencies=[access("public")])
router = APIRouter(prefix="/api/v1", tags=["access"], dependencies=[access("signed-in")])

Result = TypeVar("Result")
_HASHING = anyio.CapacityLimiter(service.AT_ONCE)
"""Hashing a password takes 64 MiB: the rest wait, in no thread."""


@public.get("/sign-in", summary="How one can sign in", response_model=SignInWays)
def get_sign_in_ways(stores: StoresDep) -> Json:
    """Return whether there are local accounts, single sign-on, and built-in tokens."""
    settings = stores.settings
    tokens = (settings.read_token, settings.ingest_token, settings.admin_token)
    return Json(
        {
            "site": site_name(stores.facility.now(), None).label,
            "local": stores.users.any_local(),
            "single_sign_on": settings.oidc_label if settings.oidc_issuer else None,
            "tokens": any(token is not None for token in tokens),
            "first_start": not stores.users.any_admin(),
        }
    )


@public.post("/session", summary="Sign in", status_code=201, response_model=Me)
async def start_session(request: Request, stores: StoresDep, body: SignInBody) -> Response:
    """Check a password, or a built-in token, and set the session cookie. 401: the same for every reason."""
    throttle: Throttle = request.app.state.sign_in_throttle
    throttle.require(_address(request))
    try:
        return await _start_session(request, stores, body)
    except Unauthorized:
        throttle.count(_address(request), f"{body.user}:{body.password}{body.token}")
        raise


async def _start_session(request: Request, stores: Stores, body: SignInBody) -> Response:
    if body.token:
        cookie, principal = await _hashing(lambda: service.sign_in_with_token(stores, body.token, _address(request)))
    else:
        cookie, principal = await _hashing(lambda: service.sign_in(stores, body.user, body.password, _address(request)))
    return _signed_in(request, stores, cookie, principal)


@public.post("/link", summary="What a one-time link is for", response_model=LinkAnswer)
def read_one_time_link(stores: StoresDep, body: LinkBody) -> Json:
    """404 if it was used before or has expired."""
    user = service.link_user(stores, body.code)
    return Json({"purpose": "password" if user else "first administrator", "user": user or None})


@public.post("/link/accept", summary="Set a password with a one-time link", status_code=201, response_model=Me)
async def accept_one_time_link(request: Request, stores: StoresDep, body: AcceptLinkBody) -> Response:
    """Set the password of the user of this link, or create the first administrator; then sign in."""
    address = _address(request)

    def accept() -> tuple[str, Principal]:
        name = service.accept_link(stores, body.code, body.user, body.password, address)
        return service.start_session(stores, name, address)

    cookie, principal = await _hashing(accept)
    return _signed_in(request, stores, cookie, principal)


@router.delete("/session", summary="Sign out", response_model=SignedOut)
def end_session(request: Request, stores: StoresDep, actor: ActorDep) -> Response:
    """End the session and delete its cookie. `provider`: where a browser ends the session at the identity provider."""
    service.sign_out(stores, actor.principal, actor.address)
    response = Json({"provider": _sign_out_url(request, stores, actor.principal)})
    delete_session_cookie(request, response)
    return response


@router.get("/me", summary="Who one is", response_model=Me)
def get_me(stores: StoresDep, principal: PrincipalDep) -> Json:
    """Return the user or token of this request, its roles and what it may do."""
    return _me(stores, principal)


@router.put("/me/password", summary="Change one's password", status_code=204)
async def change_password(stores: StoresDep, actor: ActorDep, body: PasswordBody) -> Response:
    """Set a new password of a local account; the other sessions of this user end."""
    await _hashing(lambda: service.change_password(stores, actor, body.old, body.new))
    return Response(status_code=204)


def _sign_out_url(request: Request, stores: Stores, principal: Principal) -> str | None:
    """Return where the session at the identity provider ends; None for a user who did not sign in there."""
    provider: IdentityProvider | None = request.app.state.identity_provider
    user = stores.users.get(principal.name) if principal.is_user and principal.session else None
    if provider is None or user is None or user.origin != "oidc":
        return None
    return provider.sign_out_url(own_url(request, "/sign-in"))


def _signed_in(request: Request, stores: Stores, cookie: str, principal: Principal) -> Response:
    response = _me(stores, principal)
    response.status_code = 201
    set_session_cookie(request, response, cookie, stores.settings.session_hours)
    return response


def _me(stores: Stores, principal: Principal) -> Json:
    user = stores.users.get(principal.name) if principal.is_user else None
    scopes = [scope for scope, allowed in SCOPES.items() if allowed & principal.permissions]
    has_password = user is not None and user.origin == "local"
    return Json(me_answer(principal, stores.settings.jobs_of_others, scopes, has_password=has_password))


async def _hashing(work: Callable[[], Result]) -> Result:
    return await anyio.to_thread.run_sync(work, limiter=_HASHING)


def _address(request: Request) -> str:
    return request.client.host if request.client else ""
