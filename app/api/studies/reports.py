"""Reports as HTML files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.api.http import StoresDep, access, file_answer
from app.api.service import site_of
from app.api.studies.studies import By, MinCoverage, Reference, Which
from app.errors import Invalid
from app.presentation.reports import job_report, study_report
from app.services.pages import read_job_report
from app.services.studies import read_comparison, study_curves

router = APIRouter(prefix="/api/v1", tags=["reports"], dependencies=[access("read")])

_HTML = file_answer("text/html", "One HTML file that needs no network, with figures, tables, method and a citation.")
_SHOWN_FILTERS = ("tag", "user", "project", "cluster", "node", "state", "q", "from", "to", "coverage", "min_coverage")


@router.get("/jobs/{id}/report.html", summary="Report of a job", response_class=Response, responses=_HTML)
def get_job_report(request: Request, stores: StoresDep, id: str) -> Response:
    """Return one HTML file with figures, tables, method, gaps and a citation; it needs no network and prints on A4."""
    return _file(job_report(site_of(request).report_files(), read_job_report(stores, id), _base(request)), f"job-{id}")


@router.get("/studies/groups/report.html", summary="Report of a study", response_class=Response, responses=_HTML)
def get_study_report(
    request: Request,
    stores: StoresDep,
    which: Which,
    by: By = None,
    reference: Reference = None,
    min_coverage: MinCoverage = 0,
) -> Response:
    """Return the groups of `GET /api/v1/studies/groups` as one HTML file with their curves.

    If the tag is a number it also holds the power-cap tables.
    """
    comparison = read_comparison(stores, which, by or [], reference or [], min_coverage)
    if comparison.found is None:
        raise Invalid("groups need a tag", "by=node_type; GET /api/v1/jobs/tags lists the tags there are", code="no_by")
    query = urlencode(request.query_params.multi_items())
    api, page = (f"{_base(request)}{path}?{query}" for path in ("/api/v1/studies/groups", "/compare"))
    drawn = study_curves(stores, comparison.found)
    body = study_report(site_of(request).report_files(), comparison, drawn, _where(request), api, page)
    return _file(body, f"study-{'-'.join(comparison.by)}")


def _base(request: Request) -> str:
    return str(request.base_url).rstrip("/")


def _where(request: Request) -> Sequence[str]:
    shown = [(key, value) for key, value in request.query_params.multi_items() if key in _SHOWN_FILTERS and value]
    return [value.replace(":", " = ", 1) if key == "tag" else f"{key} = {value}" for key, value in shown]


def _file(body: bytes, name: str) -> Response:
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    headers = {"Content-Disposition": f'attachment; filename="{safe}.html"'}
    return Response(body, media_type="text/html; charset=utf-8", headers=headers)
