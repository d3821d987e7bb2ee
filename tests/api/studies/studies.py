"""Runs of a steady power, registered over the API: what studies are tried with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient


@dataclass
class Bench:
    """Runs one after the other on node n1 (outlet/1 of pdu-a), each at a power of its own, read every 100 ms."""

    client: TestClient
    at_ms: int
    interval_ms: int = 100

    def run(self, watts: float, seconds: float, covered_s: float | None = None, **job: Any) -> str:
        """A run of `seconds` at a steady power, measured for its first `covered_s`, and its id."""
        length = round(1000 * seconds)
        measured = length if covered_s is None else round(1000 * covered_s)
        times = list(range(self.at_ms, self.at_ms + measured, self.interval_ms))
        self._deliver(times, [watts] * len(times))
        id_ = self.register(self.at_ms, self.at_ms + length, **job)
        self.at_ms += length + 60_000
        return id_

    def register(self, start_ms: int, end_ms: int | None, tags: Mapping[str, Any] | None = None, **job: Any) -> str:
        """A job without readings."""
        body = {"nodes": [{"node": "n1"}], "start": start_ms, "state": "completed", "tags": tags or {}, **job}
        if end_ms is not None:
            body["end"] = end_ms
        answer = self.client.post("/api/v1/jobs", json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def _deliver(self, times: Sequence[int], watts: Sequence[float]) -> None:
        if not times:
            return
        batch = {
            "device": "pdu-a",
            "interval_s": self.interval_ms / 1000,
            "series": [{"point": "outlet/1", "quantity": "power", "unit": "W", "accuracy_pct": 1.0}],
            "t": times,
            "values": [list(watts)],
        }
        answer = self.client.post("/api/v1/ingest", json=batch)
        assert answer.status_code == 200, answer.text
        assert answer.json()["rejected"] == []


def published_caps(bench: Bench) -> dict[str, str]:
    """Two configurations of Koszczał et al. 2023 as far as they are published: 85.6 s at 260 W, 93.6 s and 24.4 %
    less energy at 170 W. The energy of the reference is not published: 85.6 kJ is ours.
    """
    reference_j = 85_600.0
    tags = {"study": "rtx6000"}
    return {
        "260": bench.run(reference_j / 85.6, 85.6, tags=tags | {"power_cap_w": 260}, name="xception"),
        "170": bench.run(reference_j * (1 - 0.244) / 93.6, 93.6, tags=tags | {"power_cap_w": 170}, name="xception"),
    }
