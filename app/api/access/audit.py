"""Read the audit log."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from app.api.http import Json, Moment, Page, StoresDep, access, csv_answer, csv_file
from app.domain.timeseries import rfc3339
from app.errors import Invalid
from app.store.access import AuditEntry, AuditFilter

router = APIRouter(prefix="/api/v1", tags=["access"], dependencies=[access("admin")])

_COLUMNS = ("id", "t", "who", "how", "address", "action", "subject", "before", "after")
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


@router.get("/audit", summary="Audit log", response_model=Page[AuditEntry])
def list_audit_entries(
    stores: StoresDep,
    which: Which,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(description="`next` of the page before")] = None,
) -> Json:
    """Return who changed what, from where, and its state before and after; newest first. No entry is ever changed."""
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise Invalid(f"{cursor[:80]!r} is not a cursor of this list", "omit it to start over", code="bad_cursor")
    found = stores.audit.list(which, limit + 1, None if cursor is None else int(cursor))
    following = str(found[limit - 1].id) if len(found) > limit else None
    return Json({"items": found[:limit], "next": following})


@router.get("/audit.csv", summary="Audit log as a file", response_class=Response, responses=csv_answer(_COLUMNS))
def download_audit_entries(stores: StoresDep, which: Which) -> Response:
    """One entry a line, newest first, at most 100,000; `before` and `after` as JSON."""
    found = stores.audit.list(which, _MOST_ROWS)
    return csv_file("audit.csv", _COLUMNS, (_cells(entry) for entry in found))


def _cells(entry: AuditEntry) -> list[object]:
    states = [None if state is None else orjson.dumps(state).decode() for state in (entry.before, entry.after)]
    plain = [entry.id, rfc3339(entry.t_ms), entry.who, entry.how, entry.address, entry.action, entry.subject]
    return [*plain, *states]
