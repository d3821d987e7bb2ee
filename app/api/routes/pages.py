"""The pages and the files they are made of. Every view has a real address; there is no catch-all."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.api.deps import ContextDep, access
from app.errors import NotFound
from app.services.frontend import Asset, Frontend, frontend

router = APIRouter(include_in_schema=False, dependencies=[access("read")])
static = APIRouter(include_in_schema=False, dependencies=[access("public")])

_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


def site_of(request: Request) -> Frontend:
    """The files of the dashboard, read once for each application."""
    state = request.app.state
    if not hasattr(state, "frontend"):
        state.frontend = frontend()
    found: Frontend = state.frontend
    return found


def _page(request: Request, name: str, status: int = 200) -> Response:
    return _send(request, site_of(request).page(name), _ASK_AGAIN, status)


def _send(request: Request, asset: Asset, cache: str, status: int = 200) -> Response:
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    body = asset.body
    if asset.gzipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = asset.gzipped
        headers["Content-Encoding"] = "gzip"
    return Response(body, status, headers, media_type=asset.media_type)


@router.get("/")
def facility_page(request: Request) -> Response:
    """The facility."""
    return _page(request, "index.html")


@router.get("/racks/{key}")
def rack_page(request: Request, context: ContextDep, key: str) -> Response:
    """One rack; 404 where there is none."""
    known = key in context.facility.at(context.now_ms()).racks
    return _page(request, "rack.html") if known else _page(request, "missing.html", 404)


@router.get("/nodes/{key}")
def node_page(request: Request, context: ContextDep, key: str) -> Response:
    """One node; 404 where there is none."""
    known = key in context.facility.at(context.now_ms()).nodes
    return _page(request, "node.html") if known else _page(request, "missing.html", 404)


@router.get("/jobs")
def jobs_page(request: Request) -> Response:
    """The list of jobs."""
    return _page(request, "jobs.html")


@router.get("/jobs/{job}")
def job_page(request: Request, context: ContextDep, job: str) -> Response:
    """One job; 404 where there is none."""
    known = context.jobs.get(job) is not None
    return _page(request, "job.html") if known else _page(request, "missing.html", 404)


@router.get("/compare")
def compare_page(request: Request) -> Response:
    """Groups of runs side by side."""
    return _page(request, "compare.html")


@router.get("/devices")
def devices_page(request: Request) -> Response:
    """The health of every device."""
    return _page(request, "devices.html")


@router.get("/devices/{key}")
def device_page(request: Request, context: ContextDep, key: str) -> Response:
    """One device; 404 where there is none."""
    known = key in context.facility.at(context.now_ms()).devices
    return _page(request, "device.html") if known else _page(request, "missing.html", 404)


@router.get("/capacity")
def capacity_page(request: Request) -> Response:
    """What binds and what fits."""
    return _page(request, "capacity.html")


@router.get("/alerts")
def alerts_page(request: Request) -> Response:
    """What needs somebody."""
    return _page(request, "alerts.html")


@router.get("/checks")
def checks_page(request: Request) -> Response:
    """Which meters contradict each other."""
    return _page(request, "checks.html")


@static.get("/static/{path:path}")
def static_file(request: Request, path: str) -> Response:
    """A file of the frontend. The version in its path makes it immutable."""
    asset = site_of(request).asset(path)
    if asset is None:
        raise NotFound(f"there is no file /static/{path}", "reload the page: its files may have a new version")
    return _send(request, asset, _FOREVER)
