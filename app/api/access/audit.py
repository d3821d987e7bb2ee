"""Read the audit log."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from typing_extensions import TypedDict

from app.api.http import Json, Moment, Page, RecordSummary, StoresDep, access, record_answer, record_answers
from app.domain.timeseries import rfc3339
from app.errors import Invalid
from app.models import Time
from app.presentation.access import AuditLine, audit_lines, subjects_of_jobs
from app.services.files import RecordFormat, RecordTable, number, text, time
from app.store.access import AuditEntry, AuditFilter

router = APIRouter(prefix="/api/v1", tags=["access"], dependencies=[access("admin")])

_COLUMNS = (
    number("id"), time("t"), *map(text, ("who", "how", "address", "action", "subject", "before", "after")),
)  # fmt: skip
_MOST_ROWS = 100_000


def _filter(
    who: Annotated[str | None, Query(description="user, or label of a token")] = None,
    action: Annotated[str | None, Query(description="beginning of the action, such as `token` or `facility`")] = None,
    subject: Annotated[str | None, Query(description="what was changed")] = None,
    start: Annotated[Moment | None, Query(alias="from", description="RFC 3339 or ms")] = None,
    end: Annotated[Moment | None, Query(alias="to", description="RFC 3339 or ms")] = None,
) -> AuditFilter:
    return AuditFilter(who, action, subject, start, end)


Which = Annotated[AuditFilter, Depends(_filter)]


@router.get("/audit", summary="Audit log", response_model=Page[AuditLine])
def list_audit_entries(
    stores: StoresDep,
    which: Which,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> Json:
    """Return who changed what, from where, and its state before and after; newest first. No entry is ever changed.

    `label` and `href`: name and page of the subject, of a job as you see it.
    """
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise Invalid(f"{cursor[:80]!r} is not a cursor of this list", "omit it to start over", code="bad_cursor")
    found = stores.audit.list(which, limit + 1, None if cursor is None else int(cursor))
    following = str(found[limit - 1].id) if len(found) > limit else None
    shown = found[:limit]
    jobs = stores.jobs.many(subjects_of_jobs(shown))
    return Json({"items": audit_lines(shown, jobs), "next": following})


_Asked = TypedDict("_Asked", {"from": Time | None, "to": Time | None})


class AuditSummary(_Asked, RecordSummary):
    """What a file of the audit log cannot say in its cells: which entries it has. `complete`: whether it has all."""

    who: str | None
    action: str | None
    subject: str | None
    complete: bool


def _table(stores: StoresDep, which: Which) -> RecordTable:
    found = stores.audit.list(which, _MOST_ROWS + 1)
    facts = {
        "who": which.who,
        "action": which.action,
        "subject": which.subject,
        "from": rfc3339(which.from_ms),
        "to": rfc3339(which.to_ms),
        "zone": "UTC",
        "rows": min(len(found), _MOST_ROWS),
        "complete": len(found) <= _MOST_ROWS,
    }
    return RecordTable(_COLUMNS, [_cells(entry) for entry in found[:_MOST_ROWS]], facts)


TableDep = Annotated[RecordTable, Depends(_table)]


@router.get("/audit.summary.json", summary="What the file of the audit log cannot say", response_model=AuditSummary)
def get_audit_summary(table: TableDep) -> Json:
    """Filter, number of entries and columns; the same is in the metadata of Parquet and Arrow, the CSV links to it."""
    return Json(table.summary)


@router.get(
    "/audit.{format}",
    summary="Audit log as a file",
    response_class=Response,
    responses=record_answers([column.name for column in _COLUMNS]),
)
def download_audit_entries(request: Request, table: TableDep, format: RecordFormat) -> Response:
    """One entry a row, newest first, at most 100,000; `before` and `after` as JSON."""
    return record_answer(request, "audit", table, format)


def _cells(entry: AuditEntry) -> list[object]:
    states = [None if state is None else orjson.dumps(state).decode() for state in (entry.before, entry.after)]
    return [entry.id, entry.t_ms, entry.who, entry.how, entry.address, entry.action, entry.subject, *states]
