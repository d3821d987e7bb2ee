"""An HTTP exporter with the metrics of a device profile, in the text format of dcgm-exporter."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from collectors.contract import COUNTERS, Quantity
from collectors.profiles import Metric, MetricPoints, OpenMetricsProfile
from collectors.simulator.agents.encoded_point import EncodedPoint
from collectors.simulator.agents.snmp_table import numbers_of
from collectors.simulator.plant import LayoutDevice, Plant, Readings

_DECIMALS = {Quantity.POWER: 3}
_NAMESPACE = uuid.UUID("6f1d1d2e-9f6b-5b52-8a43-5d7a6f0d1c11")


class ExpositionAgent:
    """The exporter of one node: GET of its path returns the metrics, any other request 404."""

    content_type = b"text/plain; version=0.0.4; charset=utf-8"

    def __init__(
        self, plant: Plant, device: LayoutDevice, profile: OpenMetricsProfile, now_ms: Callable[[], int]
    ) -> None:
        self._plant, self._device, self._profile, self._now_ms = plant, device, profile, now_ms
        self._gpu_name = plant.nodes[device.node].model.gpu_name
        points = plant.readings(device.key, np.array([now_ms()]))
        self._metrics = [
            (metric, [(encoded_metric(point, metric), self._labels(group, point)) for point in _places(group, points)])
            for group in profile.points
            for metric in group.values
        ]
        self._server: asyncio.Server | None = None

    @property
    def encoded(self) -> list[EncodedPoint]:
        """Return every number of the exporter."""
        return [encoded for _, samples in self._metrics for encoded, _ in samples]

    async def start(self, host: str, port: int) -> int:
        """Listen; return the port in use."""
        self._server = await asyncio.start_server(self._answer, host, port)
        bound: int = self._server.sockets[0].getsockname()[1]
        return bound

    async def stop(self) -> None:
        """Stop listening; every response closes its own connection."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def text(self, t_ms: int) -> str:
        """Return the exposition at a time."""
        readings = self._plant.readings(self._device.key, np.array([t_ms]))
        return "\n".join(self._lines(readings)) + "\n"

    def _lines(self, readings: Readings) -> Iterator[str]:
        for metric, samples in self._metrics:
            yield f"# HELP {metric.metric} {metric.quantity.value} (in {metric.unit})."
            yield f"# TYPE {metric.metric} {'counter' if metric.quantity in COUNTERS else 'gauge'}"
            for encoded, labels in samples:
                raw = encoded.raw(readings[encoded.point, encoded.quantity])[0]
                yield f"{metric.metric}{{{labels}}} {raw:.{encoded.decimals}f}"

    def _labels(self, group: MetricPoints, point: str) -> str:
        numbers: Mapping[str, int] = numbers_of(group.point, point) or {}
        labels = {name: str(number) for name, number in numbers.items()}
        if group.label:
            labels[group.label] = gpu_uuid(self._device.node, point)
        labels |= {"modelName": self._gpu_name, "Hostname": self._device.node}
        return ",".join(f'{name}="{value}"' for name, value in labels.items())

    def _body(self, path: str, _query: str) -> str | None:
        """Return the response to a GET; None for a path that does not exist."""
        return self.text(self._now_ms()) if path == self._device.address.path else None

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                request = await reader.readuntil(b"\r\n\r\n")
            method, target, _ = request.split(b" ", 2)
            path, _, query = target.decode("ascii").partition("?")
            text = self._body(path, query) if method == b"GET" else None
            body = b"not found\n" if text is None else text.encode()
            status = b"404 Not Found" if text is None else b"200 OK"
            head = b"HTTP/1.1 %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n"
            writer.write(head % (status, self.content_type, len(body)) + b"Connection: close\r\n\r\n" + body)
            await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError, ConnectionError):
            pass  # a client that does not finish its request gets no response
        finally:
            writer.close()


def gpu_uuid(node: str, point: str) -> str:
    """Return the UUID of a GPU, the same at every start."""
    return f"GPU-{uuid.uuid5(_NAMESPACE, f'{node}/{point}')}"


def encoded_metric(point: str, metric: Metric) -> EncodedPoint:
    """Encode a metric as this exporter prints it: power to the milliwatt, all others as whole numbers."""
    return EncodedPoint(point, metric.quantity, metric.factor, _DECIMALS.get(metric.quantity, 0))


def _places(group: MetricPoints, points: Readings) -> list[str]:
    return [point for point in dict.fromkeys(p for p, _ in points) if numbers_of(group.point, point) is not None]
