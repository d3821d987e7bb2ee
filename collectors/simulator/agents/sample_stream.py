"""An exporter that buffers samples with the time stamps of its node, whose clock may be wrong."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import numpy as np

from collectors.contract import MINUTE_MS, Quantity
from collectors.simulator.agents.exposition import ExpositionAgent, gpu_uuid
from collectors.simulator.plant import clock_error_ms

_EVERY_MS, _KEPT_MS = 10_000, 5 * MINUTE_MS
_METRICS = {Quantity.POWER: "power_average", Quantity.UTILIZATION: "utilization", Quantity.TEMPERATURE: "temperature"}


class SampleStreamAgent(ExpositionAgent):
    """The exporter of one node: GET of `/samples?since=CURSOR` returns the samples since then (format 1)."""

    content_type = b"application/json"

    def samples(self, since: str) -> dict[str, Any]:
        """Return the samples after the cursor `since`, the true time of the last sample that was fetched."""
        now_ms = self._now_ms()
        last = now_ms - now_ms % _EVERY_MS
        first = max(int(since) if since.isdigit() else 0, last - _KEPT_MS) + 1
        t_ms = np.arange(-(-first // _EVERY_MS) * _EVERY_MS, last + 1, _EVERY_MS, dtype=np.int64)
        return {
            "format": 1,
            "interval_ms": _EVERY_MS,
            "now_ms": now_ms + clock_error_ms(self._device.key, now_ms),
            "cursor": str(last),
            "head": str(last),
            "lost": None,
            "gpus": {},
            "events": [],
            "t_ms": [int(t) + clock_error_ms(self._device.key, int(t)) for t in t_ms],
            "columns": [*self._columns(t_ms)],
        }

    def _columns(self, t_ms: Any) -> list[dict[str, Any]]:  # noqa: ANN401 (int64[n])
        readings = self._plant.readings(self._device.key, t_ms)
        return [
            {
                "point": point,
                "value": _METRICS[quantity],
                "sensor": "average",
                "uuid": gpu_uuid(self._device.node, point),
                "modulus": None,
                "window_ms": None,
                "update_ms": None,
                "values": [round(float(v), 3) for v in values],
            }
            for (point, quantity), values in readings.items()
            if quantity in _METRICS
        ]

    def _body(self, path: str, query: str) -> str | None:
        if path != self._profile.samples:
            return super()._body(path, query)
        return json.dumps(self.samples(parse_qs(query).get("since", [""])[0]))
