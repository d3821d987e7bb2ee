"""The credentials that a request brings in its headers, and the principal that they belong to."""

from __future__ import annotations

import base64
import binascii

from fastapi import Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from app.domain.access import ANYBODY, Principal
from app.errors import Unavailable
from app.services.access import Credentials, identify
from app.services.stores import Stores
from app.store.database import ERRORS, fault

PRINCIPAL = "wattline.principal"
"""Who sends the request, in its scope."""
_COOKIE = "wattline_session"
_SECURE_COOKIE = f"__Host-{_COOKIE}"
"""Under TLS: a browser takes it from this host by TLS alone, and no other host of the domain can set it."""


async def principal_of(request: Request) -> Principal:
    """Return who sends a request by its cookie or token, found once; without either ANYBODY."""
    found: Principal | None = request.scope.get(PRINCIPAL)
    if found is None:
        given = credentials(request)
        stores: Stores = request.app.state.stores
        found = await run_in_threadpool(_identify, stores, given) if given.need_database else ANYBODY
        request.scope[PRINCIPAL] = found
    return found


def _identify(stores: Stores, given: Credentials) -> Principal:
    try:
        return identify(stores, given)
    except ERRORS as error:
        found = fault(error)
        if found is None:
            raise
        raise Unavailable(found.detail, found.hint, code=found.code) from error


def credentials(request: Request) -> Credentials:
    """Return the session cookie and the token of a request."""
    return Credentials(request.cookies.get(_cookie_name(request)), given_token(request))


def given_token(request: Request) -> str | None:
    """Return the token of a bearer header, or the password of HTTP Basic."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return None


def set_session_cookie(request: Request, response: Response, cookie: str, hours: int) -> None:
    """Let the browser keep a session. Scripts cannot read the cookie, and other sites cannot send it with a change."""
    response.set_cookie(
        _cookie_name(request),
        cookie,
        max_age=hours * 3600,
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )


def delete_session_cookie(request: Request, response: Response) -> None:
    """Let the browser forget the session."""
    response.delete_cookie(_cookie_name(request), path="/", secure=_is_secure(request), httponly=True, samesite="lax")


def _cookie_name(request: Request) -> str:
    return _SECURE_COOKIE if _is_secure(request) else _COOKIE


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"
