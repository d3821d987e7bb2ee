"""What is stored of a device."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.answers import Json
from app.api.deps import ContextDep, access
from app.errors import NotFound
from app.services.moments import rfc3339

router = APIRouter(prefix="/api/v1/devices", tags=["facility"], dependencies=[access("read")])


@router.get("/{key}/span", summary="First and last reading of a device")
def span(context: ContextDep, key: str) -> Json:
    """Where the stored readings of a device begin and end; both null when there are none."""
    if key not in context.facility.now().devices:
        raise NotFound(f"there is no device {key}", "GET /api/v1/devices lists them")
    first, last = context.frames.span(key) or (None, None)
    return Json({"first": rfc3339(first), "last": rfc3339(last)})
