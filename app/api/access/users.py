"""Manage users."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response

from app.api.access.models import NewLinkAnswer, UserBody, UserChange
from app.api.http import ActorDep, Json, Page, StoresDep, access
from app.domain.timeseries import rfc3339
from app.services import access as service
from app.services.access import OneTimeLink, UserLine

router = APIRouter(prefix="/api/v1/users", tags=["access"], dependencies=[access("admin")])


@router.get("", summary="List users", response_model=Page[UserLine])
def list_users(stores: StoresDep) -> Json:
    """Return every user with roles, by name."""
    return Json({"items": service.list_users(stores), "next": None})


@router.post("", summary="Create a user", status_code=201, response_model=NewLinkAnswer)
def create_user(request: Request, stores: StoresDep, actor: ActorDep, body: UserBody) -> Json:
    """Create a user, and return the one-time link with which this person sets a password."""
    roles = service.parse_roles(body.roles)
    return _link(request, service.create_user(stores, actor, body.to_user(roles)), 201)


@router.patch("/{name}", summary="Change a user", response_model=UserLine)
def change_user(stores: StoresDep, actor: ActorDep, name: str, body: UserChange) -> Json:
    """Change label, roles, projects, or disable. A disabled user is signed out, and the tokens stop."""
    changes: dict[str, Any] = body.model_dump(include=body.model_fields_set)
    if "roles" in changes:
        changes["roles"] = service.parse_roles(body.roles)
    if "projects" in changes:
        changes["projects"] = tuple(body.projects)
    return Json(service.change_user(stores, actor, name, **changes))


@router.delete("/{name}", summary="Delete a user", status_code=204)
def remove_user(stores: StoresDep, actor: ActorDep, name: str) -> Response:
    """Delete a user; sessions end and tokens are revoked. Jobs keep the name."""
    service.remove_user(stores, actor, name)
    return Response(status_code=204)


@router.post("/{name}/link", summary="Make a one-time link", status_code=201, response_model=NewLinkAnswer)
def create_user_link(request: Request, stores: StoresDep, actor: ActorDep, name: str) -> Json:
    """Return a link with which a user sets a new password; former links are void."""
    return _link(request, service.new_link(stores, actor, name), 201)


def _link(request: Request, made: OneTimeLink, status: int) -> Json:
    url = str(request.base_url).rstrip("/") + made.path
    return Json({"user": made.user, "url": url, "until": rfc3339(made.until_ms)}, status)
