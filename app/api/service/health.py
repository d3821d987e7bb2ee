"""Liveness and readiness of the server."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import Field
from typing_extensions import TypedDict

from app.api.http import StoresDep, access
from app.errors import Unavailable
from app.store.database import require_writable, schema_is_current

router = APIRouter(tags=["health"], dependencies=[access("public")])


class Status(TypedDict):
    """The state of the server."""

    status: Annotated[Literal["ok", "ready"], Field(examples=["ok"])]


@router.get("/healthz", summary="Liveness")
def get_liveness() -> Status:
    """Return 200 while the process runs; does not use the database."""
    return {"status": "ok"}


@router.get("/readyz", summary="Readiness")
def get_readiness(stores: StoresDep) -> Status:
    """Return 200 if the database can be written and has the schema of this version, else 503 with the reason."""
    if not schema_is_current(stores.engine):
        raise Unavailable(
            "the database has the schema of another version", "run `wattline db upgrade`", code="not_ready"
        )
    require_writable(stores.engine)
    return {"status": "ready"}
