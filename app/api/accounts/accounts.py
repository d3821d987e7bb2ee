"""Who consumed how much, and what a site's energy costs."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response

from app.api.accounts.models import (
    ACCOUNT_COLUMNS,
    AccountsAnswer,
    AccountsSummary,
    FactorBody,
    accounts_answer,
    accounts_table,
)
from app.api.http import (
    ActorDep,
    AllStoresDep,
    Json,
    Page,
    PrincipalDep,
    StoresDep,
    access,
    record_answer,
    record_answers,
)
from app.errors import Invalid
from app.importers.tables import read_steps
from app.services.access import record
from app.services.accounts import OF_JOBS, OF_PLACES, BudgetLine, Per, accounts, list_budgets, parse_month
from app.services.factors import factors as service
from app.services.files import RecordFormat, RecordTable
from app.services.stores import Stores
from app.store.accounts import FactorStep, SiteFactor

router = APIRouter(prefix="/api/v1", tags=["accounts"], dependencies=[access("read")])
changes = APIRouter(prefix="/api/v1", tags=["accounts"], dependencies=[access("plan")])

By = Annotated[str, Query(description=f"{', '.join((*OF_JOBS, *OF_PLACES))} or tag:NAME")]
First = Annotated[date, Query(alias="from", description="first day, in the site's time zone")]
End = Annotated[date, Query(alias="to", description="the first day that does not count")]
PerQuery = Annotated[Per, Query(description="a line for each day or month, or for the whole window")]
Site = Annotated[str | None, Query(description="one site; all without it")]

_FILE = record_answers(
    [column.name for column in ACCOUNT_COLUMNS],
    "Energies are in J and kWh as the names say, `hours` are node hours of the line, `cost` is in `currency`.",
)
_SERIES: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"text/csv": {"schema": {"type": "string"}, "example": "time,value\n2026-11-20T00:00Z,0.31\n"}},
    }
}


async def _body(request: Request) -> bytes:
    return await request.body()


@router.get("/accounts", summary="Energy by user, project, rack, … and day", response_model=AccountsAnswer)
def list_accounts(
    stores: StoresDep, start: First, end: End, by: By = "user", per: PerQuery = "window", site: Site = None
) -> Json:
    """Lines of jobs, idle and unattributed energy; a site's lines add up to the energy of its nodes. Days are those of
    the site's clocks, of 23 or 25 hours where they change; today counts until now.
    """
    return Json(accounts_answer(accounts(stores, by, per, start, end, site), by, per))


def _table(
    stores: StoresDep, start: First, end: End, by: By = "user", per: PerQuery = "window", site: Site = None
) -> RecordTable:
    found = accounts_answer(accounts(stores, by, per, start, end, site), by, per)
    return accounts_table(found, start, end)


TableDep = Annotated[RecordTable, Depends(_table)]


@router.get("/accounts.summary.json", summary="What the file of accounts cannot say", response_model=AccountsSummary)
def get_accounts_summary(table: TableDep) -> Json:
    """Units, days and their zone, and energy, coverage, method and factors of each site.

    The same is in the metadata of Parquet and Arrow (key `wattline`); the files link to it.
    """
    return Json(table.summary)


@router.get("/accounts.{format}", summary="Energy by user, … as a file", response_class=Response, responses=_FILE)
def download_accounts(request: Request, table: TableDep, format: RecordFormat) -> Response:
    """One line a row; missing is empty."""
    facts = table.facts
    return record_answer(
        request, f"accounts-{facts['by'].replace(':', '-')}-{facts['from']}-{facts['to']}", table, format
    )


@router.get("/budgets", summary="Budgets of projects and their use", response_model=Page[BudgetLine])
def get_budgets(
    stores: AllStoresDep,
    principal: PrincipalDep,
    month: Annotated[str | None, Query(description="`2026-11`; this month if omitted")] = None,
) -> Json:
    """Return the budget of each project that a site declares for it, and what its jobs used on the days that are over.

    Shown to planners and to those who see every job; project leads see those of their projects, others none.
    """
    view = principal.job_view(stores.settings.jobs_of_others)
    first = parse_month(month) if month else None
    return Json({"items": list_budgets(stores, view, first, all_=principal.may("plan")), "next": None})


@router.get("/sites/{site}/factors", summary="What a site's energy costs", response_model=Page[SiteFactor])
def list_factors(stores: StoresDep, site: str) -> Json:
    """PUE, price and carbon intensity, as far as an operator set them; nothing is assumed."""
    return Json({"items": service.factors_of(stores, site), "next": None})


@changes.put("/sites/{site}/factors/{kind}", summary="Set a factor", response_model=SiteFactor)
def set_factor(stores: StoresDep, actor: ActorDep, site: str, kind: str, body: FactorBody) -> Json:
    """`kind` is pue (unit 1), price (such as EUR/kWh) or carbon (g/kWh). Steps replace what was known of their time."""
    before = _factor(stores, site, kind)
    factor = service.put_factor(stores, site, kind, body.unit, body.source, body.value, body.to_steps())
    record(stores, actor, "factor.set", f"{site}/{kind}", before, _factor(stores, site, kind, len(body.steps)))
    return Json(factor)


@changes.put(
    "/sites/{site}/factors/{kind}/series.csv",
    summary="Set a factor over time",
    response_model=SiteFactor,
    openapi_extra=_SERIES,
)
def set_factor_series(
    stores: StoresDep,
    actor: ActorDep,
    site: str,
    kind: str,
    body: Annotated[bytes, Depends(_body)],
    unit: Annotated[str, Query(examples=["g/kWh"])],
    source: Annotated[str, Query(description="where it comes from; part of every answer")],
    tz: Annotated[str, Query(description="zone of times without an offset")] = "UTC",
) -> Json:
    """CSV: a time and a value a row; each holds until the next, the last as long as is usual."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Invalid("the file is not UTF-8 text", "save it as CSV in UTF-8", code="bad_series") from None
    steps = [FactorStep(*step) for step in read_steps(text, tz)]
    before = _factor(stores, site, kind)
    factor = service.put_factor(stores, site, kind, unit, source, None, steps)
    record(stores, actor, "factor.set", f"{site}/{kind}", before, _factor(stores, site, kind, len(steps)))
    return Json(factor)


@changes.delete("/sites/{site}/factors/{kind}", summary="Remove a factor", status_code=204)
def remove_factor(stores: StoresDep, actor: ActorDep, site: str, kind: str) -> Response:
    """Its steps are removed too."""
    before = _factor(stores, site, kind)
    service.remove_factor(stores, site, kind)
    record(stores, actor, "factor.delete", f"{site}/{kind}", before, None)
    return Response(status_code=204)


def _factor(stores: Stores, site: str, kind: str, new_steps: int = 0) -> dict[str, Any] | None:
    """Return a factor as it is now, for the audit log; None without one. Of steps only the number of new ones."""
    found = next((factor for factor in service.factors_of(stores, site) if factor.kind == kind), None)
    steps = {"new_steps": new_steps} if new_steps else {}
    return None if found is None else asdict(found) | steps
