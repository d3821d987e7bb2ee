"""Metrics of the server and the latest power of every node and rack, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from app.api.http import StoresDep, access
from app.api.live import get_live
from app.domain.alerts import RULES
from app.services.alerts import LEVELS
from app.services.live import LiveView, Snapshot
from app.services.stores import Stores
from collectors.contract import DAY_MS

router = APIRouter(tags=["health"], dependencies=[access("read")])


@router.get("/metrics", summary="OpenMetrics", response_class=Response)
def metrics(stores: StoresDep, view: Annotated[LiveView, Depends(get_live)]) -> Response:
    """Return metrics in the OpenMetrics format. Nodes and racks without current readings are omitted."""
    registry = CollectorRegistry()
    registry.register(_Metrics(stores, view.snapshot()))
    ProcessCollector(registry=registry)
    render: Callable[[CollectorRegistry], bytes] = generate_latest  # the library is untyped
    return Response(render(registry), media_type=CONTENT_TYPE_LATEST)


class _Metrics(Collector):
    """The metric families of one response."""

    def __init__(self, stores: Stores, snapshot: Snapshot) -> None:
        self._stores = stores
        self._snapshot = snapshot

    def collect(self) -> Iterator[Metric]:
        """Yield every metric family."""
        yield InfoMetricFamily("wattline", "This server", value={"version": version("wattline")})
        yield from self._power()
        yield from self._devices()
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

    def _power(self) -> Iterator[Metric]:
        nodes = GaugeMetricFamily("wattline_node_power_watts", "Power of a node now", labels=["node", "source"])
        racks = GaugeMetricFamily("wattline_rack_power_watts", "Power of a rack now", labels=["rack"])
        for key, now in self._snapshot.nodes.items():
            if now["power_w"] is not None:
                nodes.add_metric([key, now["source"]], now["power_w"])
        for key, now in self._snapshot.racks.items():
            if now["power_w"] is not None:
                racks.add_metric([key], now["power_w"])
        yield nodes
        yield racks

    def _alerts(self) -> Metric:
        active = GaugeMetricFamily("wattline_alerts_active", "Active alerts", labels=["rule", "level"])
        known = self._stores.alerts.by_rule()
        for rule in RULES:
            for level, value in LEVELS.items():
                active.add_metric([rule, level], known.get((rule, int(value)), 0))
        return active

    def _devices(self) -> Iterator[Metric]:
        newest = GaugeMetricFamily(
            "wattline_device_last_reading_timestamp_seconds",
            "Time of the latest reading of a device",
            labels=["device"],
        )
        answering = GaugeMetricFamily("wattline_device_up", "Whether a polled device responds", labels=["device"])
        devices = self._stores.facility.at(self._snapshot.t_ms).devices
        for key, now in self._snapshot.devices.items():
            if now["t"] is not None:
                newest.add_metric([key], now["t"] / 1000)
            polled = key in devices and devices[key].address is not None
            if polled and now["state"] != "never":
                answering.add_metric([key], float(now["state"] == "ok"))
        failures = GaugeMetricFamily(
            "wattline_device_poll_failures_24h", "Failed polls of a device in 24 h", labels=["device"]
        )
        for key, health in self._stores.health.health(self._snapshot.t_ms - DAY_MS).items():
            failures.add_metric([key], health.failures)
        yield from (newest, answering, failures)
