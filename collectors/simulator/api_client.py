"""The few calls the simulator makes to the server."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
    """The server at a URL. Every call raises ServerDown when it may work later, ServerRefused when it never will."""

    def __init__(self, url: str, token: str | None = None, transport: httpx.AsyncBaseTransport | None = None) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.AsyncClient(base_url=url, headers=headers, timeout=60, transport=transport)

    async def close(self) -> None:
        """Let go of connections."""
        await self._http.aclose()

    async def ready(self) -> bool:
        """Whether the server is up."""
        try:
            return (await self._http.get("/readyz", timeout=2)).status_code == httpx.codes.OK
        except httpx.HTTPError:
            return False

    async def span(self, device: str) -> tuple[int, int] | None:
        """First and last stored reading of a device [ms]; None when there is none."""
        answer = await self._call("GET", f"/api/v1/devices/{device}/span")
        return None if answer["first"] is None else (milliseconds(answer["first"]), milliseconds(answer["last"]))

    async def ingest(self, layout: Layout, t_ms: Millis, values: Floats) -> None:
        """Deliver frames: values float64[frame, series] in the order of the layout."""
        body = arrow(layout, t_ms, values)
        answer = await self._call("POST", "/api/v1/ingest", content=body, headers={"Content-Type": _ARROW})
        if answer["rejected"]:
            raise ServerRefused(f"history of {layout.device}: {answer['rejected'][0]}")

    async def jobs(self, cluster: str) -> dict[str, Mapping[str, Any]]:
        """All jobs of a cluster, by the scheduler's id."""
        found: dict[str, Mapping[str, Any]] = {}
        query: dict[str, str | int] = {"cluster": cluster, "limit": _PAGE}
        while True:
            page = await self._call("GET", "/api/v1/jobs", params=query)
            found |= {job["job_id"]: job for job in page["items"]}
            if not page.get("next"):
                return found
            query["cursor"] = page["next"]

    async def _call(self, method: str, path: str, **what: Any) -> Any:  # noqa: ANN401  (JSON)
        try:
            answer = await self._http.request(method, path, **what)
        except httpx.HTTPError as error:
            raise ServerDown(f"{method} {path}: {error or type(error).__name__}") from None
        if not answer.is_success:
            raise _problem(answer)
        return answer.json()

    async def create(self, kind: str, body: Mapping[str, object], effective_ms: int) -> None:
        """Create an object of the facility (`devices`, `nodes` …) that counts from `effective_ms` on."""
        await self._call("POST", f"/api/v1/{kind}", json=body, params={"effective": effective_ms})

    async def create_job(self, job: Mapping[str, object]) -> str:
        """Register a job and return its id."""
        return str((await self._call("POST", "/api/v1/jobs", json=job))["id"])

    async def finish_job(self, id_: str, end_ms: int) -> None:
        """Tell that a job has ended."""
        await self._call("PATCH", f"/api/v1/jobs/{id_}", json={"end": end_ms, "state": "completed"})


def arrow(layout: Layout, t_ms: Millis, values: Floats) -> bytes:
    """Frames of one layout as an Arrow stream: `t` and one column a series, the layout in the schema's metadata."""
    fields = [pa.field("t", pa.int64()), *(pa.field(series.key, pa.float64()) for series in layout.series)]
    schema = pa.schema(fields, metadata={b"wattline": json.dumps(layout.to_wire()).encode()})
    columns = [pa.array(t_ms), *(pa.array(column) for column in np.ascontiguousarray(values.T))]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch(columns, schema=schema))
    body: bytes = sink.getvalue().to_pybytes()
    return body


def _problem(answer: httpx.Response) -> ServerDown | ServerRefused:
    text = f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text[:500]}"
    return ServerRefused(text, status=answer.status_code) if answer.is_client_error else ServerDown(text)


def milliseconds(moment: str) -> int:
    """UTC [ms] of an RFC 3339 moment."""
    return round(datetime.fromisoformat(moment).timestamp() * 1000)
