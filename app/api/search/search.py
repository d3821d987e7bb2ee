"""Find sites, rooms, racks, nodes, devices, outlets, jobs and users."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from app.api.http import Json, PrincipalDep, StoresDep, access
from app.api.live import get_live
from app.presentation.search import SearchView, search_view
from app.services.live import LiveView
from app.services.search import find

router = APIRouter(prefix="/api/v1", tags=["facility"], dependencies=[access("read")])

_RECENT_MS = 10_000


@router.get("/search", summary="Search", response_model=SearchView)
def search_all(
    stores: StoresDep,
    principal: PrincipalDep,
    live: Annotated[LiveView, Depends(get_live)],
    q: Annotated[str, Query(max_length=100, description="words, each of which must match; case does not matter")],
    limit: Annotated[int, Query(ge=1, le=20, description="results of each kind")] = 6,
) -> Json:
    """Return the sites, rooms, racks, nodes, devices, jobs and users that match: exact names first, jobs newest first;
    with the word `outlet` also outlets, by PDU, rack or node.

    Jobs of others and their users are found only if the principal sees these jobs in full; administrators find every
    account. `power_w` is that of this moment if the server has it at hand, a lower bound if `at_least`.
    """
    found = find(stores, q, limit, accounts=principal.may("admin"))
    return Json(search_view(q, found, live.recent(_RECENT_MS)))
