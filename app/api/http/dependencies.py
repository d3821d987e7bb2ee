"""Dependencies of routes: the stores, the principal and access control.

They are coroutines although they rarely wait: FastAPI would run each plain function in a thread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

from fastapi import Depends, Request
from fastapi.params import Depends as DependsParam

from app.api.gate import why_not_local
from app.api.http.credentials import PRINCIPAL, given_token, principal_of
from app.api.http.query import require_known_parameters
from app.domain.access import ANYBODY, Permission, Principal
from app.errors import BadRequest, Forbidden, Unauthorized
from app.services.access import Actor, local_principal, variable_for
from app.services.stores import Stores, seen_by
from app.settings import Settings

Need = Literal["public", "signed-in"] | Permission
"""signed-in: any user or token, whatever it allows."""
AUTHORIZED = "wattline.authorized"
"""What a request may, as the gate decided before its body was received; in the scope of the request."""


async def get_context(request: Request) -> Stores:
    """Return the stores of this process, as the principal of the request sees them."""
    stores: Stores = request.app.state.stores
    principal: Principal = request.scope.get(PRINCIPAL, ANYBODY)
    return seen_by(stores, principal.job_view(stores.settings.jobs_of_others))


async def get_all_stores(request: Request) -> Stores:
    """Return the stores of this process, for routes that write jobs and check whose they are."""
    stores: Stores = request.app.state.stores
    return stores


async def get_principal(request: Request) -> Principal:
    """Return who sends this request."""
    found: Principal = request.scope[PRINCIPAL]
    return found


async def get_actor(request: Request) -> Actor:
    """Return who sends this request, and from where, for the audit log."""
    return Actor(request.scope[PRINCIPAL], request.client.host if request.client else "")


StoresDep = Annotated[Stores, Depends(get_context)]
AllStoresDep = Annotated[Stores, Depends(get_all_stores)]
PrincipalDep = Annotated[Principal, Depends(get_principal)]
ActorDep = Annotated[Actor, Depends(get_actor)]


@dataclass(frozen=True)
class Access:
    """Access control of every route."""

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
        if self.need == "public":
            return
        principal = await principal_of(request)
        why_not = None
        if not self._is_met_by(principal) and principal.how in ("none", "built-in token"):
            why_not = _why_not_local(settings, request)
            if why_not is None:
                principal = _with_local(principal, local_principal(settings))
                request.scope[PRINCIPAL] = principal
        if not self._is_met_by(principal):
            raise self._refusal(request, principal, why_not)

    def _is_met_by(self, principal: Principal) -> bool:
        if self.need == "signed-in" or self.need == "public":
            return self.need == "public" or principal.how != "none"
        return principal.may(self.need)

    def _refusal(self, request: Request, principal: Principal, why_not_local: str | None) -> Unauthorized | Forbidden:
        if principal.how not in ("none", "this machine"):
            hint = "ask an administrator for a role or a token that allows it"
            if principal.how == "built-in token" and self.need != "signed-in" and self.need != "public":
                hint = f"use {variable_for(self.need)}"
            return Forbidden(f"{principal.label} does not allow {self.need}", hint)
        if given_token(request):
            return Unauthorized("the given token is not known, revoked or expired", "check it")
        if why_not_local is not None and self.need != "signed-in" and self.need != "public":
            variable = variable_for(self.need)
            if getattr(request.app.state.stores.settings, variable.removeprefix("WATTLINE_").lower()) is None:
                return Unauthorized(
                    f"{variable} is not set, so only the server's own user needs no credentials: {why_not_local}",
                    f"sign in, or set {variable} on the server and send it as bearer token",
                    code="token_not_set",
                )
        return Unauthorized(f"this request needs {self.need}", "sign in, or send Authorization: Bearer <token>")


def _with_local(principal: Principal, local: Principal) -> Principal:
    """Return a principal with what this machine may do without a token."""
    if principal.how == "none":
        return local if local.permissions else principal
    return replace(principal, permissions=principal.permissions | local.permissions)


def access(need: Need) -> DependsParam:
    """Return the dependency for a router: `APIRouter(dependencies=[access("read")])`."""
    dependency: DependsParam = Depends(Access(need))
    return dependency


def _why_not_local(settings: Settings, request: Request) -> str | None:
    if settings.local_mode is False:
        return "local mode is off"
    return why_not_local(request.scope, on_loopback=settings.on_loopback)
