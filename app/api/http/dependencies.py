"""Dependencies of routes: the stores and access control.

They are coroutines although they never wait: FastAPI would run each plain function in a thread.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi.params import Depends as DependsParam
from pydantic import SecretStr

from app.api.gate import why_not_local
from app.api.http.query import require_known_parameters
from app.errors import BadRequest, Forbidden, Unauthorized
from app.services.stores import Stores
from app.settings import Settings

Need = Literal["public", "read", "ingest", "admin"]
AUTHORIZED = "wattline.authorized"
"""What a request may, as the gate decided before its body was received; in the scope of the request."""
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
        if request.scope.get(AUTHORIZED) != self.need:
            await self.authorize(request)
        require_known_parameters(request)

    async def authorize(self, request: Request) -> None:
        """Accept the request by its headers and its connection alone, or raise; `RequestGate` calls it first.

        Raises
        ------
        Unauthorized, Forbidden
        """
        settings: Settings = request.app.state.stores.settings
        if self.need == "public" or may(settings, self.need, request):
            return
        if _is_known(settings, request):
            raise Forbidden(f"the given token does not allow {self.need}", f"send the token of {_VARIABLE[self.need]}")
        way = "check the given token: it is not known" if _given_token(request) else "send Authorization: Bearer TOKEN"
        raise Unauthorized(f"this request needs a token for {self.need}", way)


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


def _is_known(settings: Settings, request: Request) -> bool:
    """Return whether the request has one of the tokens, whatever that allows."""
    given = (_given_token(request) or "").encode()
    tokens = (settings.read_token, settings.ingest_token, settings.admin_token)
    return any(secrets.compare_digest(given, token.get_secret_value().encode()) for token in tokens if token)


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
    why = (
        "local mode is off"
        if settings.local_mode is False
        else why_not_local(request.scope, on_loopback=settings.on_loopback)
    )
    if why is not None:
        variable = _VARIABLE[need]
        raise Unauthorized(
            f"{variable} is not set, so only the server's own user has access, on this machine: {why}",
            f"set {variable} on the server and send it as bearer token",
            code="token_not_set",
        )
