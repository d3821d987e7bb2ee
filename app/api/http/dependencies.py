"""Dependencies of routes: the stores and access control.

They are coroutines although they never wait: FastAPI would run each plain function in a thread.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import secrets
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi.params import Depends as DependsParam
from pydantic import SecretStr

from app.api.http.query import require_known_parameters
from app.errors import BadRequest, Forbidden, Unauthorized
from app.services.stores import Stores
from app.settings import Settings

Need = Literal["public", "read", "ingest", "admin"]
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_VARIABLE = {"read": "WATTLINE_READ_TOKEN", "ingest": "WATTLINE_INGEST_TOKEN", "admin": "WATTLINE_ADMIN_TOKEN"}


async def get_context(request: Request) -> Stores:
    """Return the stores of this process."""
    stores: Stores = request.app.state.stores
    return stores


StoresDep = Annotated[Stores, Depends(get_context)]


@dataclass(frozen=True)
class Access:
    """Access control of every route. Accounts and roles would be added here and nowhere else."""

    need: Need

    async def __call__(self, request: Request) -> None:
        """Accept the request, or raise; its query parameters are checked here, because every route passes here.

        Raises
        ------
        BadRequest, Unauthorized, Forbidden, Invalid
        """
        if "\x00" in request.url.path or "%00" in request.url.query:
            raise BadRequest("the address contains a NUL character", "remove %00 from it")
        if self.need != "public":
            self._authorize(request)
        require_known_parameters(request)

    def _authorize(self, request: Request) -> None:
        settings: Settings = request.app.state.stores.settings
        if request.method not in _SAFE and _is_foreign(settings, request):
            raise Forbidden(
                "this request was sent by a page of another site",
                "send it from a script or from the pages of this server",
            )
        if not may(settings, self.need, request):
            way = "send Authorization: Bearer <token>"
            if _given_token(request):
                way = f"the given token does not allow it: use {_VARIABLE[self.need]}"
            raise Unauthorized(f"this request needs a token for {self.need}", way)


def _is_foreign(settings: Settings, request: Request) -> bool:
    """Return whether a page of another site sends this request, and of an origin that is not allowed to."""
    cross_site = request.headers.get("sec-fetch-site") == "cross-site"
    return cross_site and request.headers.get("origin") not in settings.cors_origins


def access(need: Need) -> DependsParam:
    """Return the dependency for a router: `APIRouter(dependencies=[access("read")])`."""
    dependency: DependsParam = Depends(Access(need))
    return dependency


def may(settings: Settings, need: Need, request: Request) -> bool:
    """Return whether this request has the access that `need` names.

    A stronger token includes the access of a weaker one. Without a token set, only this machine has access.
    """
    given = (_given_token(request) or "").encode()
    if any(secrets.compare_digest(given, token.encode()) for token in _accepted(settings, need)):
        return True
    if _own_token(settings, need) is not None:
        return False
    _require_local(settings, need, request)
    return True


def _own_token(settings: Settings, need: Need) -> SecretStr | None:
    if need == "read":
        return settings.read_token
    if need == "admin" and settings.admin_token is not None:
        return settings.admin_token
    return settings.ingest_token


def _accepted(settings: Settings, need: Need) -> list[str]:
    stronger = {
        "read": (settings.read_token, settings.ingest_token, settings.admin_token),
        "ingest": (settings.ingest_token, settings.admin_token),
    }
    tokens = stronger.get(need, (_own_token(settings, need),))
    return [token.get_secret_value() for token in tokens if token is not None]


def _given_token(request: Request) -> str | None:
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


def _require_local(settings: Settings, need: Need, request: Request) -> None:
    # The Host header is checked too: a page of another site may have a name that resolves to 127.0.0.1.
    host = request.url.hostname or ""
    if not settings.on_loopback or not (host == "localhost" or _is_loopback(host)):
        raise Forbidden(
            f"{_VARIABLE[need]} is not set, so only this machine has access, as http://127.0.0.1 or localhost",
            f"set {_VARIABLE[need]} on the server and send it as bearer token",
            code="token_not_set",
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
