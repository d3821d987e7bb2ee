"""The application: wiring only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI

from app.api import problems
from app.api.body_limit import BodyLimit
from app.api.headers import SecurityHeaders
from app.api.routes import (
    accounts,
    alerts,
    capacity,
    catalog,
    checks,
    collectors,
    compare,
    curve,
    devices,
    docs,
    headroom,
    health,
    ingest,
    job_figures,
    jobs,
    live,
    metrics,
    nodes,
    overview,
    pages,
    reports,
    slurm,
    studies,
)
from app.services.context import open_context, wall_clock_ms
from app.services.live import LiveView
from app.services.upkeep import Upkeep
from app.settings import Settings
from app.store.engine import Engine

ROUTERS: tuple[APIRouter, ...] = (
    accounts.router,
    accounts.changes,
    alerts.router,
    alerts.rules,
    alerts.changes,
    alerts.views,
    catalog.router,
    devices.router,
    health.router,
    docs.router,
    ingest.router,
    collectors.router,
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
    capacity.router,
    capacity.views,
    checks.router,
    headroom.router,
    live.router,
    metrics.router,
    overview.router,
    pages.router,
    pages.static,
)


def create_app(settings: Settings, now_ms: Callable[[], int] = wall_clock_ms, engine: Engine | None = None) -> FastAPI:
    """Build the server's application.

    Parameters
    ----------
    now_ms: the clock; tests inject their own.
    engine: a database already open (tests); by default the one of the settings.
    """
    context = open_context(settings, now_ms, engine)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        upkeep = Upkeep(context)
        upkeep.start()
        yield
        context.stopping.set()
        upkeep.join()
        if engine is None:
            context.engine.dispose()

    app = FastAPI(
        title="Wattline",
        summary="Power telemetry of a data center: from the metered outlet to the kilowatt-hours of one run.",
        version=version("wattline"),
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        responses=problems.PROBLEMS,
    )
    app.state.context = context
    app.state.live = LiveView(context)
    problems.install(app)
    app.add_middleware(BodyLimit, max_bytes=settings.max_body_bytes)
    app.add_middleware(SecurityHeaders)
    for router in ROUTERS:
        app.include_router(router)
    return app
