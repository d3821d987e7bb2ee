"""Sign in by the identity provider: browsers go there and come back."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse

from app.api.gate import Throttle
from app.api.http import (
    AllStoresDep,
    access,
    own_url,
    set_session_cookie,
    set_sign_on_cookie,
    sign_on_cookie,
)
from app.errors import Forbidden, NotFound, Unauthorized, Unavailable
from app.services.single_sign_on import IdentityProvider, finish_sign_on, new_attempt, read_attempt

router = APIRouter(prefix="/sign-in/oidc", include_in_schema=False, dependencies=[access("public")])

_MINUTES = 10


@router.get("")
def begin(request: Request, next: Annotated[str, Query(max_length=2000)] = "/") -> RedirectResponse:
    """Send the browser to the provider; the attempt stays in a cookie that no script reads."""
    provider, attempt = _provider(request), new_attempt(next)
    try:
        answer = RedirectResponse(provider.authorization_url(attempt, _back(request)), 303)
    except Unavailable as error:
        return _refused(request, error.code)
    set_sign_on_cookie(request, answer, attempt.cookie(), _MINUTES)
    return answer


@router.get("/callback")
def finish(
    request: Request,
    stores: AllStoresDep,
    code: Annotated[str, Query(max_length=4000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
    iss: Annotated[str | None, Query(max_length=500)] = None,
    error: Annotated[str | None, Query(max_length=500)] = None,
) -> RedirectResponse:
    """Check what the browser brings back, and start a session; failures lead to the sign-in page with their code."""
    provider, throttle = _provider(request), _throttle(request)
    address = request.client.host if request.client else ""
    throttle.require(address)
    attempt = read_attempt(sign_on_cookie(request))
    given = {"code": code, "state": state, "iss": iss, "error": error}
    try:
        query = {name: value for name, value in given.items() if value is not None}
        cookie, _ = finish_sign_on(stores, provider, attempt, query, _back(request), address)
    except (Unauthorized, Forbidden, Unavailable) as refused:
        throttle.count(address, code + state)
        answer = _refused(request, refused.code)
    else:
        answer = RedirectResponse(own_url(request, attempt.page if attempt else "/"), 303)
        set_session_cookie(request, answer, cookie, stores.settings.session_hours)
    set_sign_on_cookie(request, answer, "", 0)
    return answer


def _provider(request: Request) -> IdentityProvider:
    provider: IdentityProvider | None = request.app.state.identity_provider
    if provider is None:
        raise NotFound("single sign-on is not set up here", "set WATTLINE_OIDC_ISSUER, or sign in another way")
    return provider


def _throttle(request: Request) -> Throttle:
    found: Throttle = request.app.state.sign_in_throttle
    return found


def _back(request: Request) -> str:
    return own_url(request, "/sign-in/oidc/callback")


def _refused(request: Request, code: str) -> RedirectResponse:
    return RedirectResponse(own_url(request, f"/sign-in?fault={code}"), 303)
