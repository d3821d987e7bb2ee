"""The route of metrics for Prometheus: the server, and the facility as it is now."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from app.api.http import StoresDep, access, file_answer
from app.api.live import get_live
from app.api.service.facility_metrics import (
    FacilityNow,
    device_metrics,
    known_power_metrics,
    line_metrics,
    node_metrics,
    outlet_metrics,
    rack_metrics,
)
from app.domain.alerts import RULES
from app.services.alerts import LEVELS
from app.services.live import EnergyCounters, LiveView
from app.services.stores import Stores
from collectors.contract import DAY_MS

router = APIRouter(tags=["health"], dependencies=[access("read")])


_OPENMETRICS = file_answer(
    "application/openmetrics-text",
    "OpenMetrics text: one metric family per quantity, its unit at the end of its name.",
)


@router.get("/metrics", summary="OpenMetrics", response_class=Response, responses=_OPENMETRICS)
def get_metrics(
    request: Request,
    stores: StoresDep,
    view: Annotated[LiveView, Depends(get_live)],
    include: Annotated[list[Literal["outlets"]], Query(description="outlets: power and current of each outlet")] = [],  # noqa: B006 -- FastAPI copies it
) -> Response:
    """Return metrics in the OpenMetrics format. What has no current reading is omitted, never 0.

    Energy counters of nodes and racks begin at 0 when this process is first asked and follow the minute rollups.
    """
    snapshot, latest = view.current()
    facility = stores.facility.at(snapshot.t_ms)
    subjects = [f"{kind}/{key}:power" for kind in ("node", "rack") for key in getattr(facility, f"{kind}s")]
    counters: EnergyCounters = request.app.state.energy_counters
    now = FacilityNow(facility, snapshot, latest, counters.read(subjects, snapshot.t_ms))
    registry = CollectorRegistry()
    registry.register(_Metrics(stores, now, with_outlets="outlets" in include))
    ProcessCollector(registry=registry)
    render: Callable[[CollectorRegistry], bytes] = generate_latest  # the library is untyped
    return Response(render(registry), media_type=CONTENT_TYPE_LATEST)


class _Metrics(Collector):
    """The metric families of one response."""

    def __init__(self, stores: Stores, now: FacilityNow, *, with_outlets: bool) -> None:
        self._stores = stores
        self._now = now
        self._with_outlets = with_outlets

    def collect(self) -> Iterator[Metric]:
        """Yield every metric family."""
        yield InfoMetricFamily("wattline", "This server", value={"version": version("wattline")})
        yield from node_metrics(self._now)
        yield from rack_metrics(self._now)
        yield from known_power_metrics(self._now)
        yield from device_metrics(self._now)
        yield self._failures()
        yield from line_metrics(self._now)
        if self._with_outlets:
            yield from outlet_metrics(self._now)
        yield self._alerts()
        frames = CounterMetricFamily("wattline_frames", "Frames delivered to this process", labels=["fate"])
        refused = CounterMetricFamily(
            "wattline_refused_readings", "Readings that cannot be true, stored as missing", labels=["reason"]
        )
        for fate, count in sorted(self._stores.counters.all().items()):
            if fate.startswith("refused "):
                refused.add_metric([fate.removeprefix("refused ")], count)
                continue
            frames.add_metric([fate], count)
        yield frames
        yield refused

    def _alerts(self) -> Metric:
        active = GaugeMetricFamily("wattline_alerts_active", "Active alerts", labels=["rule", "level"])
        known = self._stores.alerts.by_rule()
        for rule in RULES:
            for level, value in LEVELS.items():
                active.add_metric([rule, level], known.get((rule, int(value)), 0))
        return active

    def _failures(self) -> Metric:
        failures = GaugeMetricFamily(
            "wattline_device_poll_failures_24h", "Failed polls of a device in 24 h", labels=["device"]
        )
        for key, health in self._stores.health.health(self._now.snapshot.t_ms - DAY_MS).items():
            failures.add_metric([key], health.failures)
        return failures
