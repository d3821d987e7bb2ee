"""The server's side of the few calls the simulator makes, kept in memory."""

import io
import json
from typing import Any

import httpx
import numpy as np
import pyarrow as pa

from collectors.contract.wire import layout_from_wire


class FakeServer:
    """Counts what is stored; a frame at a known time is a duplicate, as the ingest endpoint says."""

    def __init__(self) -> None:
        self.frames: dict[tuple[str, str], dict[int, np.ndarray]] = {}
        self.series: dict[tuple[str, str], list[str]] = {}
        self.intervals: set[float] = set()
        self.duplicates = 0
        self.jobs: dict[str, dict[str, Any]] = {}
        self.refuse = ""
        self.events: set[tuple[int, str, str]] = set()

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._answer)

    def span(self, device: str) -> tuple[int, int] | None:
        times = [t for (key, _), rows in self.frames.items() if key == device for t in (min(rows), max(rows))]
        return (min(times), max(times)) if times else None

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path == "/api/v1/ingest":
            return self._ingest(request.content)
        if path.endswith("/span"):
            ends = self.span(path.split("/")[-2])
            first, last = (moment(end) for end in ends) if ends else (None, None)
            return httpx.Response(200, json={"first": first, "last": last})
        if path == "/api/v1/jobs" and request.method == "GET":
            mine = [job for job in self.jobs.values() if job["cluster"] == request.url.params["cluster"]]
            return httpx.Response(200, json={"items": mine, "next": None})
        if path == "/api/v1/jobs":
            job = json.loads(request.content)
            assert not any(j["job_id"] == job["job_id"] and j["cluster"] == job["cluster"] for j in self.jobs.values())
            id_ = f"job-{len(self.jobs)}"
            self.jobs[id_] = {"end": None, **job, "start": moment(job["start"]), "id": id_}
            return httpx.Response(201, json={"id": id_})
        if path == "/api/v1/events":
            known = len(self.events)
            self.events |= {(e["t"], e["kind"], e["device"]) for e in json.loads(request.content)["events"]}
            return httpx.Response(200, json={"accepted": len(self.events) - known})
        if request.method == "PATCH":
            self.jobs[path.rpartition("/")[2]] |= json.loads(request.content)
            return httpx.Response(200, json={})
        return httpx.Response(404, text="not found")

    def _ingest(self, body: bytes) -> httpx.Response:
        with pa.ipc.open_stream(io.BytesIO(body)) as reader:
            table = reader.read_all()
        layout, _ = layout_from_wire(json.loads(table.schema.metadata[b"wattline"]))
        if layout.device == self.refuse:
            return httpx.Response(200, json={"rejected": [{"index": 0, "code": "unknown_device"}]})
        assert table.column_names == ["t", *(series.key for series in layout.series)]
        stream = (layout.device, layout.group)
        self.series[stream] = table.column_names[1:]
        self.intervals.add(layout.interval_ms / 1000)
        rows = self.frames.setdefault(stream, {})
        values = np.array([table.column(name).to_numpy() for name in table.column_names[1:]]).T
        for t, row in zip(table.column("t").to_pylist(), values, strict=True):
            self.duplicates += t in rows
            rows.setdefault(t, row)
        return httpx.Response(200, json={"accepted": len(values), "duplicates": 0, "conflicts": 0, "rejected": []})


def moment(t_ms: int) -> str:
    return f"{np.datetime64(t_ms, 'ms')}Z"
