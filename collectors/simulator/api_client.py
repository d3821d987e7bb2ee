"""The API calls that the simulator makes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import httpx
import numpy as np
import pyarrow as pa

from collectors.contract import Layout
from collectors.errors import ServerDown, ServerRefused
from collectors.simulator.plant import Floats, Millis

_ARROW = "application/vnd.apache.arrow.stream"
_PAGE = 500


class ApiClient:
    """Client of one server. Calls raise ServerDown if a retry may succeed, ServerRefused if not."""

    def __init__(self, url: str, token: str | None = None, transport: httpx.AsyncBaseTransport | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.AsyncClient(base_url=url, headers=headers, timeout=60, transport=transport)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def ready(self) -> bool:
        """Return whether the server is ready."""
        try:
            return (await self._http.get("/readyz", timeout=2)).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    async def span(self, device: str) -> tuple[int, int] | None:
        """Return the times of the first and last stored reading of a device [ms]; None when none is stored."""
        response = await self._call("GET", f"/api/v1/devices/{device}/span")
        return None if response["first"] is None else (milliseconds(response["first"]), milliseconds(response["last"]))

    async def ingest(self, layout: Layout, t_ms: Millis, values: Floats) -> None:
        """Send frames: values float64[frame, series] in the order of the layout."""
        body = arrow(layout, t_ms, values)
        response = await self._call("POST", "/api/v1/ingest", content=body, headers={"Content-Type": _ARROW})
        if response["rejected"]:
            raise ServerRefused(f"history of {layout.device}: {response['rejected'][0]}")

    async def jobs(self, cluster: str) -> dict[str, Mapping[str, Any]]:
        """Return all jobs of a cluster by their scheduler id."""
        found: dict[str, Mapping[str, Any]] = {}
        query: dict[str, str | int] = {"cluster": cluster, "limit": _PAGE}
        while True:
            page = await self._call("GET", "/api/v1/jobs", params=query)
            found |= {job["job_id"]: job for job in page["items"]}
            if not page.get("next"):
                return found
            query["cursor"] = page["next"]

    async def _call(self, method: str, path: str, **options: Any) -> Any:  # noqa: ANN401  (JSON)
        try:
            response = await self._http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ServerDown(f"{method} {path}: {error or type(error).__name__}") from None
        if not response.is_success:
            raise _problem(response)
        return response.json()

    async def create(self, kind: str, body: Mapping[str, object], effective_ms: int) -> None:
        """Create a facility object (`devices`, `nodes` …) that is valid from `effective_ms` on."""
        await self._call("POST", f"/api/v1/{kind}", json=body, params={"effective": effective_ms})

    async def create_job(self, job: Mapping[str, object]) -> str:
        """Register a job and return its id."""
        return str((await self._call("POST", "/api/v1/jobs", json=job))["id"])

    async def report(self, events: Sequence[Mapping[str, object]]) -> None:
        """Report device events; those that the server knows change nothing."""
        await self._call("POST", "/api/v1/events", json={"events": list(events)})

    async def finish_job(self, id_: str, end_ms: int) -> None:
        """Mark a job as completed."""
        await self._call("PATCH", f"/api/v1/jobs/{id_}", json={"end": end_ms, "state": "completed"})


def arrow(layout: Layout, t_ms: Millis, values: Floats) -> bytes:
    """Encode frames as an Arrow stream: `t` and a column per series, with the layout in the schema metadata."""
    fields = [pa.field("t", pa.int64()), *(pa.field(series.key, pa.float64()) for series in layout.series)]
    schema = pa.schema(fields, metadata={b"wattline": json.dumps(layout.to_wire()).encode()})
    columns = [pa.array(t_ms), *(pa.array(column) for column in np.ascontiguousarray(values.T))]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch(columns, schema=schema))
    body: bytes = sink.getvalue().to_pybytes()
    return body


def _problem(response: httpx.Response) -> ServerDown | ServerRefused:
    text = f"{response.request.method} {response.request.url.path}: {response.status_code} {response.text[:500]}"
    return ServerRefused(text, status=response.status_code) if response.is_client_error else ServerDown(text)


def milliseconds(timestamp: str) -> int:
    """Convert an RFC 3339 timestamp to UTC milliseconds."""
    return round(datetime.fromisoformat(timestamp).timestamp() * 1000)
