"""The credentials that a request brings in its headers, and the principal that they belong to."""

from __future__ import annotations

import base64
import binascii

from fastapi import Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from app.api.gate import PEER, is_listed
from app.domain.access import ANYBODY, Principal
from app.errors import Forbidden, Unavailable
from app.services.access import Credentials, ExternalUser, identify
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
    """Return the session cookie and the token of a request, and the user that a proxy states.

    Raises
    ------
    Forbidden
        The user is stated from an address that is not listed.
    """
    address = request.client.host if request.client else ""
    return Credentials(request.cookies.get(_cookie_name(request)), given_token(request), _stated(request), address)


def _stated(request: Request) -> ExternalUser | None:
    """Return the user that a listed proxy states in a header; without such proxies the header means nothing."""
    settings = request.app.state.stores.settings
    name = request.headers.get(settings.user_header, "").strip()
    if not settings.user_proxies or not name:
        return None
    peer = request.scope.get(PEER, "")
    if not is_listed(peer, settings.user_proxies):
        raise Forbidden(
            f"{settings.user_header} came from {peer or 'an unknown address'}, which is not in WATTLINE_USER_PROXIES",
            "omit the header, or name the proxy",
            code="untrusted_proxy",
        )
    if len(request.headers.getlist(settings.user_header)) > 1:
        raise Forbidden(f"{settings.user_header} was sent twice", "let the proxy replace it", code="untrusted_proxy")
    listed = ",".join(request.headers.getlist(settings.groups_header)).split(",")
    return ExternalUser("proxy", name, name, groups=tuple(filter(None, (group.strip() for group in listed))))


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


def own_url(request: Request, path: str) -> str:
    """Return the address of one of our paths as this browser reaches it: where its cookies are."""
    return str(request.base_url).rstrip("/") + path


def set_sign_on_cookie(request: Request, response: Response, value: str, minutes: int) -> None:
    """Let the browser keep an attempt of single sign-on until it is back; `minutes` 0: forget it."""
    response.set_cookie(
        _sign_on_cookie(request),
        value,
        max_age=minutes * 60,
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )


def sign_on_cookie(request: Request) -> str | None:
    """Return the attempt that the browser keeps."""
    return request.cookies.get(_sign_on_cookie(request))


def _sign_on_cookie(request: Request) -> str:
    return f"{_cookie_name(request)}_sign_on"


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
