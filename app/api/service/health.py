"""Liveness and readiness of the server."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.http import StoresDep, access
from app.errors import Unavailable
from app.store.database import require_writable, schema_is_current

router = APIRouter(tags=["health"], dependencies=[access("public")])


@router.get("/healthz", summary="Liveness")
def healthz() -> dict[str, str]:
    """Return 200 while the process runs; does not use the database."""
    return {"status": "ok"}


@router.get("/readyz", summary="Readiness")
def readyz(stores: StoresDep) -> dict[str, str]:
    """Return 200 if the database can be written and has the schema of this version, else 503 with the reason."""
    if not schema_is_current(stores.engine):
        raise Unavailable(
            "the database has the schema of another version", "run `wattline db upgrade`", code="not_ready"
        )
    require_writable(stores.engine)
    return {"status": "ready"}
