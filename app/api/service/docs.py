"""The API reference, from bundled files: no request leaves this host."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from swagger_ui_bundle import swagger_ui_path

from app.api.http import Json, Problem, access
from app.errors import NotFound

router = APIRouter(include_in_schema=False, dependencies=[access("read")])

_ASSETS = {"swagger-ui.css": "text/css", "swagger-ui-bundle.js": "text/javascript", "favicon-32x32.png": "image/png"}
_START = (
    'window.ui = SwaggerUIBundle({url: "/api/v1/openapi.json", dom_id: "#swagger-ui", deepLinking: true,'
    " validatorUrl: null, tryItOutEnabled: true})"
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Wattline API</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""


@router.get("/api/v1/openapi.json", summary="OpenAPI document")
def openapi(request: Request) -> Json:
    """Return the description of the API."""
    document: dict[str, Any] = request.app.openapi()
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas |= Problem.model_json_schema(ref_template="#/components/schemas/{model}").pop("$defs", {})
    schemas["Problem"] = {
        key: value
        for key, value in Problem.model_json_schema(ref_template="#/components/schemas/{model}").items()
        if key != "$defs"
    }
    return Json(document)


@router.get("/docs", summary="API reference")
def page() -> HTMLResponse:
    """Return the Swagger UI page."""
    return HTMLResponse(_PAGE)


@router.get("/docs/{name}", summary="File of the API reference")
def asset(name: str) -> Response:
    """Return one of the files of the page."""
    if name == "start.js":
        return Response(_START, media_type="text/javascript")
    if name not in _ASSETS:
        raise NotFound(f"/docs has no file {name}", "open /docs")
    return FileResponse(Path(str(swagger_ui_path)) / name, media_type=_ASSETS[name])
