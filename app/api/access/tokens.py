"""Manage API tokens."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.api.access.models import TokenBody
from app.api.http import ActorDep, Json, Page, PrincipalDep, StoresDep, access
from app.services import access as service
from app.services.access import NewToken, TokenLine, TokenRequest

router = APIRouter(prefix="/api/v1/tokens", tags=["access"], dependencies=[access("signed-in")])


@router.get("", summary="List API tokens", response_model=Page[TokenLine])
def list_tokens(
    stores: StoresDep,
    principal: PrincipalDep,
    everyone: Annotated[bool, Query(description="of all users and machines; for administrators")] = False,
) -> Json:
    """Return one's own tokens, newest first; of a token only its first characters are known."""
    return Json({"items": service.list_tokens(stores, principal, everyone=everyone), "next": None})


@router.post("", summary="Create an API token", status_code=201, response_model=NewToken)
def create_token(stores: StoresDep, actor: ActorDep, body: TokenBody) -> Json:
    """Return a token, shown this once. It allows no more than the roles of its owner.

    An administrator also makes tokens of machines: `collector` limits it to the leases of one collector, `cluster` to
    jobs of one cluster.
    """
    wanted = TokenRequest(body.name, body.scopes, body.collector, body.cluster, body.days)
    return Json(service.create_token(stores, actor, wanted), 201)


@router.delete("/{id}", summary="Revoke an API token", status_code=204)
def revoke_token(stores: StoresDep, actor: ActorDep, id: str) -> Response:
    """Revoke a token at once and for good."""
    service.revoke_token(stores, actor, id)
    return Response(status_code=204)
