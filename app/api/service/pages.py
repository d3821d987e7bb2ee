"""The pages of the dashboard and their files. Every view has its own address; there is no catch-all."""

from __future__ import annotations

from collections.abc import Callable

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.api.http import StoresDep, access
from app.api.service.assets import Asset, Frontend, frontend
from app.errors import NotFound
from app.services.stores import Stores

router = APIRouter(include_in_schema=False, dependencies=[access("read")])
own = APIRouter(include_in_schema=False, dependencies=[access("signed-in")])
static = APIRouter(include_in_schema=False, dependencies=[access("public")])

_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
_PLAIN = {
    "/": "index.html",
    "/jobs": "jobs.html",
    "/compare": "compare.html",
    "/explore": "explore.html",
    "/capacity": "capacity.html",
    "/devices": "devices.html",
    "/checks": "checks.html",
    "/alerts": "alerts.html",
}
_SIGNED_IN = {
    "/account": "account.html",
    "/add-device": "add-device.html",
    "/connect": "connect.html",
    "/my-energy": "my-energy.html",
    "/users": "users.html",
}
_PUBLIC = {"/sign-in": "sign-in.html", "/welcome": "welcome.html"}


def site_of(request: Request) -> Frontend:
    """Return the files of the dashboard, read once per application."""
    state = request.app.state
    if not hasattr(state, "frontend"):
        state.frontend = frontend(state.stores.settings.path_prefix)
    found: Frontend = state.frontend
    return found


def _page(request: Request, name: str, status: int = 200) -> Response:
    return send(request, site_of(request).page(name), status=status)


def send(request: Request, asset: Asset, cache: str = _ASK_AGAIN, status: int = 200) -> Response:
    """Return a file, compressed if the client accepts it."""
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    body = asset.body
    if asset.gzipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
        body = asset.gzipped
        headers["Content-Encoding"] = "gzip"
    return Response(body, status, headers, media_type=asset.media_type)


def missing_page(request: Request) -> Response:
    """Return the page of an address that names nothing."""
    return _page(request, "missing.html", 404)


def _plain(file: str) -> Callable[[Request], Response]:
    def page(request: Request) -> Response:
        return _page(request, file)

    return page


def _of(known: Callable[[Stores, str], bool], file: str) -> Callable[[Request, Stores, str], Response]:
    """Return a route for the page of one object; 404 without it."""

    def page(request: Request, stores: StoresDep, key: str) -> Response:
        return _page(request, file) if known(stores, key) else missing_page(request)

    return page


def _kept(kind: str) -> Callable[[Stores, str], bool]:
    return lambda stores, key: key in getattr(stores.facility.at(stores.now_ms()), kind)


for _path, _file in _PLAIN.items():
    router.add_api_route(_path, _plain(_file), response_model=None)
for _path, _file in _SIGNED_IN.items():
    own.add_api_route(_path, _plain(_file), response_model=None)
for _path, _file in _PUBLIC.items():
    static.add_api_route(_path, _plain(_file), response_model=None)
for _kind in ("racks", "nodes", "devices"):
    router.add_api_route(f"/{_kind}/{{key}}", _of(_kept(_kind), f"{_kind[:-1]}.html"), response_model=None)
router.add_api_route(
    "/jobs/{key}", _of(lambda stores, key: stores.jobs.get(key) is not None, "job.html"), response_model=None
)


@static.get("/static/{path:path}")
def static_file(request: Request, path: str) -> Response:
    """Return a file of the frontend. The version in its path makes it immutable."""
    asset = site_of(request).asset(path)
    if asset is None:
        raise NotFound(f"there is no file /static/{path}", "reload the page: its files may have a new version")
    return send(request, asset, _FOREVER)
