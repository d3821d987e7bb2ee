"""The API reference, from bundled files: no request leaves this host."""

from __future__ import annotations

from importlib import resources

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.api.http import Json, access
from app.api.service.assets import Asset
from app.api.service.document import document
from app.api.service.pages import send, site_of
from app.errors import NotFound

router = APIRouter(include_in_schema=False, dependencies=[access("read")])

_ASSETS = {"swagger-ui.css": "text/css; charset=utf-8", "swagger-ui-bundle.js": "text/javascript; charset=utf-8"}
_DAY = "public, max-age=86400"


@router.get("/api/v1/openapi.json", summary="OpenAPI document")
def openapi(request: Request) -> Json:
    """Return the description of the API."""
    return Json(document(request.app))


@router.get("/docs", summary="API reference")
def page(request: Request) -> Response:
    """Return the page that shows the description of the API."""
    return send(request, site_of(request).page("reference.html"))


@router.get("/docs/{name}", summary="File of the API reference")
def asset(request: Request, name: str) -> Response:
    """Return a file of Swagger UI, from the package that contains it."""
    if name not in _ASSETS:
        raise NotFound(f"/docs has no file {name}", "open /docs")
    return send(request, _swagger_ui(request, name), _DAY)


def _swagger_ui(request: Request, name: str) -> Asset:
    """Return a file, read and compressed once per application."""
    state = request.app.state
    if not hasattr(state, "swagger_ui"):
        folder = resources.files("fastapi_offline").joinpath("static")
        state.swagger_ui = {name: Asset(folder.joinpath(name).read_bytes(), kind) for name, kind in _ASSETS.items()}
    found: Asset = state.swagger_ui[name]
    return found
