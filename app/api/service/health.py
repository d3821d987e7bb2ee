"""Is it alive, and can it do its work."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.http import StoresDep, access
from app.errors import Unavailable
from app.store.database import schema_is_current

router = APIRouter(tags=["health"], dependencies=[access("public")])


@router.get("/healthz", summary="The process is alive")
def healthz() -> dict[str, str]:
    """Answers as long as the process runs; asks nothing of the database."""
    return {"status": "ok"}


@router.get("/readyz", summary="The database answers and is of this version")
def readyz(stores: StoresDep) -> dict[str, str]:
    """503 with the reason while requests could not be served."""
    if not schema_is_current(stores.engine):
        raise Unavailable("the database has another schema", "run `wattline db upgrade`", code="not_ready")
    return {"status": "ready"}
