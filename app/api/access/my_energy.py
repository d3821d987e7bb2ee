"""A user's own energy, and the export of a user's data."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from typing_extensions import TypedDict

from app.api.http import Json, PrincipalDep, StoresDep, access, in_shown_zone
from app.api.jobs import JobAnswer, job_answer
from app.domain.access import Principal
from app.errors import Forbidden
from app.presentation.access import MyEnergyView, my_energy_view
from app.services.access import TokenLine, UserLine, list_tokens, user_line
from app.services.jobs import listing
from app.services.pages import read_my_energy
from app.services.stores import Stores
from app.store.access import AuditEntry, AuditFilter
from app.store.jobs import JobFilter

router = APIRouter(prefix="/api/v1", tags=["access"], dependencies=[access("read")])
views = APIRouter(prefix="/api/v1/views", tags=["views"], dependencies=[access("read"), in_shown_zone()])

_MOST_ENTRIES = 100_000
_PAGE = 500


class OwnData(TypedDict):
    """Everything that is stored about a user: the account, tokens, jobs with figures, and entries of the audit log."""

    user: UserLine
    tokens: list[TokenLine]
    jobs: list[JobAnswer]
    audit: list[AuditEntry]


@views.get("/my-energy", summary="My energy", response_model=MyEnergyView)
def get_my_energy(
    stores: StoresDep,
    principal: PrincipalDep,
    month: Annotated[str | None, Query(description="`2026-11`; this month if omitted")] = None,
) -> Json:
    """Return the energy of one's own jobs in a month by day, what it cost, what was idle, the runs, and the budgets of
    the projects that one leads.
    """
    led = principal.job_view(stores.settings.jobs_of_others).projects
    return Json(my_energy_view(read_my_energy(stores, _user(principal), month, led)))


@router.get("/me/data.json", summary="Export one's own data", response_model=OwnData)
def export_own_data(stores: StoresDep, principal: PrincipalDep) -> Json:
    """Return everything that is stored about the user who asks, as one JSON file."""
    name = _user(principal)
    body: dict[str, Any] = {
        "user": user_line(stores, name),
        "tokens": list_tokens(stores, principal, everyone=False),
        "jobs": [job_answer(job) for job in _jobs(stores, name)],
        "audit": stores.audit.list(AuditFilter(who=name), _MOST_ENTRIES),
    }
    answer = Json(body)
    answer.headers["Content-Disposition"] = 'attachment; filename="wattline-my-data.json"'
    return answer


def _jobs(stores: Stores, user: str) -> list[Any]:
    found, cursor = listing(stores, JobFilter(user=user), "-start", _PAGE, None)
    while cursor is not None:
        page, cursor = listing(stores, JobFilter(user=user), "-start", _PAGE, cursor)
        found += page
    return found


def _user(principal: Principal) -> str:
    if not principal.is_user:
        raise Forbidden("this page is for users with an account", "sign in as a user")
    return principal.name
