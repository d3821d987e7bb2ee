"""Assemble the application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from fastapi.routing import iter_route_contexts

from app.api.access import access, audit, device_login, my_energy, single_sign_on, tokens, users
from app.api.accounts import accounts
from app.api.alerts import alerts, receivers, silences
from app.api.capacity import capacity, headroom
from app.api.checks import checks
from app.api.devices import IngestQueue, collectors, devices, ingest, probes
from app.api.facility import catalog, curves, nodes, overview
from app.api.figures import figures
from app.api.gate import PathPrefix, Throttle, TrustedProxies
from app.api.http import Compression, ConditionalGet, Head, RequestGate, SecurityHeaders, add_cors, problems
from app.api.jobs import curve, job_figures, jobs
from app.api.live import SharedEvents, SharedTitles, live
from app.api.search import search
from app.api.service import docs, health, metrics, pages
from app.api.slurm import slurm
from app.api.studies import compare, reports, studies
from app.errors import Invalid
from app.server.background_tasks import BackgroundTasks
from app.services.live import EnergyCounters, LiveView, take_all
from app.services.pages import FacilityDays
from app.services.single_sign_on import identity_provider
from app.services.stores import Stores, open_stores, read_rest
from app.settings import Settings
from app.store.database import Engine
from collectors.contract import wall_clock_ms

ROUTERS: tuple[APIRouter, ...] = (
    ingest.router,
    collectors.router,
    live.router,
    overview.router,
    access.public,
    access.router,
    single_sign_on.router,
    device_login.public,
    device_login.router,
    my_energy.router,
    my_energy.views,
    tokens.router,
    users.router,
    audit.router,
    accounts.router,
    accounts.changes,
    alerts.router,
    alerts.rules,
    alerts.changes,
    alerts.views,
    receivers.router,
    receivers.changes,
    silences.router,
    silences.changes,
    catalog.router,
    devices.router,
    probes.router,
    health.router,
    docs.router,
    studies.router,
    compare.curves_router,
    compare.router,
    reports.router,
    jobs.router,
    jobs.changes,
    slurm.router,
    job_figures.router,
    curve.router,
    nodes.router,
    curves.router,
    figures.router,
    capacity.router,
    capacity.questions,
    capacity.views,
    checks.router,
    headroom.router,
    metrics.router,
    search.router,
    pages.router,
    pages.own,
    pages.static,
)
"""Tried in this order: what collectors and open pages ask for all the time comes first."""


def create_app(settings: Settings, now_ms: Callable[[], int] = wall_clock_ms, engine: Engine | None = None) -> FastAPI:
    """Build the server's application.

    Parameters
    ----------
    now_ms: the clock; tests inject their own.
    engine: an open database (tests); by default that of the settings.
    """
    stores = open_stores(settings, now_ms, engine)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        tasks = BackgroundTasks(stores)
        tasks.start()
        yield
        stores.stopping.set()
        tasks.join()
        if engine is None:
            stores.engine.dispose()

    app = FastAPI(
        title="Wattline",
        summary="Power telemetry of a data center: from the metered outlet to the kilowatt-hours of one run.",
        version=version("wattline"),
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=problems.PROBLEMS,
        generate_unique_id_function=lambda route: route.name,
    )
    _set_state(app, stores)
    problems.install(app)
    _add_middleware(app, settings)
    for router in ROUTERS:
        app.include_router(router)
    _require_free_prefix(app, settings.path_prefix)
    return app


def _set_state(app: FastAPI, stores: Stores) -> None:
    app.state.stores = stores
    app.state.address = stores.settings.address
    app.state.sign_in_throttle = Throttle()
    app.state.identity_provider = identity_provider(stores.settings, stores.now_ms)
    app.state.live = LiveView(stores, lambda error: read_rest(stores, take_all, error)[0])
    app.state.live_events = SharedEvents(app.state.live)
    app.state.live_titles = SharedTitles(app.state.live)
    app.state.facility_days = FacilityDays()
    app.state.energy_counters = EnergyCounters(stores.minutes)
    app.state.ingest_queue = IngestQueue(stores.settings.max_body_bytes)
    app.state.missing_page = pages.missing_page


def _add_middleware(app: FastAPI, settings: Settings) -> None:
    """Add what every request passes; the last one is the first to see it."""
    app.add_middleware(RequestGate, settings=settings)
    app.add_middleware(ConditionalGet)
    app.add_middleware(Compression)
    app.add_middleware(Head)
    add_cors(app, settings.cors_origins)
    app.add_middleware(SecurityHeaders, hsts_days=settings.hsts_days)
    app.add_middleware(PathPrefix, prefix=settings.path_prefix)
    app.add_middleware(TrustedProxies, proxies=settings.trusted_proxies)


def _require_free_prefix(app: FastAPI, prefix: str) -> None:
    if not prefix:
        return
    first = prefix.split("/")[1]
    taken = {str(context.path).split("/")[1] for context in iter_route_contexts(app.routes)}
    if first in taken:
        raise Invalid(f"WATTLINE_PATH_PREFIX: /{first} is a path of Wattline itself", "choose another one")
