"""Import meter logs into a server over HTTP: their rows, the node they measure and the job they belong to.

Every request is idempotent: rows, nodes and jobs that already exist are counted, not changed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import orjson

from app.client import api_error
from app.errors import Conflict, Invalid, Unavailable
from app.importers.tables import MeterLog, zone
from app.services.imports.import_report import ImportReport, RegisteredJob, StoredLog
from app.services.imports.plan import ImportOptions, Item, Meter, PlannedJob, plan
from collectors.contract import ContractError

VALUES_PER_REQUEST = 40_000
_API = "/api/v1"
Progress = Callable[[int, int], None]


async def run_import(
    client: httpx.AsyncClient,
    files: Sequence[Path],
    *,
    device: str | None = None,
    node: str | None = None,
    tz: str = "UTC",
    as_job: bool = False,
    format: str = "auto",
    tags: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """Import logs, or folders of MLPerf runs, into the server behind `client`.

    Parameters
    ----------
    device, node: names of the meter and of the node it powers; by default made from the file or the run.
    tz: zone of times without an offset.
    as_job: register each run, or the span of each log, as a job.
    progress: called with bytes done and total bytes.

    Raises
    ------
    WattlineError
        Nothing could be imported, or the server rejects every request.
    """
    options = ImportOptions(zone(tz), device, node, as_job, format, dict(tags or {}))
    items = plan(files, options)
    report = ImportReport()
    tell = progress or (lambda _done, _total: None)
    total, done = max(1, sum(item.size for item in items)), 0
    tell(0, total)
    sending = _Sending(client, report)
    for item in items:
        try:
            await sending.item(item, options)
        except (Invalid, OSError, ContractError) as problem:
            if len(items) == 1:
                raise _as_invalid(problem) from problem
            report.problems.append(_as_invalid(problem).detail)
        done += item.size
        tell(done, total)
    return report


class _Sending:
    """Sends one import to a server."""

    def __init__(self, client: httpx.AsyncClient, report: ImportReport) -> None:
        self._client = client
        self._report = report
        self._known: set[str] = set()

    async def item(self, item: Item, options: ImportOptions) -> None:
        """Read one run or log and send its rows, nodes and job; without a stored row there is neither node nor job."""
        loaded = item.load(options)
        all_stored = True
        for meter in loaded.meters:
            if not len(meter.log.t_ms):
                continue
            if meter.on_board and meter.node:
                await self._node(meter.node, None)
                await self._exporter(meter.device, meter.node)
            stored = await _store(self._client, meter)
            self._report.logs.append(stored)
            all_stored = all_stored and stored.is_stored
            if stored.is_stored and meter.node and not meter.on_board:
                await self._node(meter.node, f"{meter.device}/total")
        if loaded.job is not None and all_stored:
            self._report.jobs.append(await _register(self._client, loaded.job))

    async def _node(self, key: str, feed: str | None) -> None:
        """Create a node unless it exists. Cords of an existing node belong to its operator and are not changed."""
        if f"node {key} {feed}" in self._known:
            return
        self._known.add(f"node {key} {feed}")
        try:
            await _send(self._client, "POST", "/nodes", {"key": key, "feeds": [feed] if feed else []})
        except Conflict:
            found = await _send(self._client, "GET", f"/nodes/{key}")
            if feed and feed not in found.body.get("feeds", []):
                self._report.notes.append(_uncorded(key, feed, found.body.get("feeds", [])))

    async def _exporter(self, key: str, node: str) -> None:
        """Create the device that reads a node's GPUs unless it exists."""
        if f"device {key}" in self._known:
            return
        self._known.add(f"device {key}")
        with contextlib.suppress(Conflict):
            await _send(self._client, "POST", "/devices", {"key": key, "kind": "exporter", "node": node})


def _uncorded(node: str, feed: str, feeds: Sequence[str]) -> str:
    """Return what to do about a declared node whose energy does not come from the log."""
    by = f"powered by {', '.join(feeds)}" if feeds else "declared without cords"
    wanted = orjson.dumps([*feeds, feed]).decode()
    return (
        f"node {node} is {by}, so its energy does not come from this log, whose readings are stored at {feed}. "
        f"If the log measured it, set feeds = {wanted} of node {node} in the facility file, or PATCH "
        f"{_API}/nodes/{node} with them and ?effective= the begin of the log; else import it with another --node"
    )


async def _store(client: httpx.AsyncClient, meter: Meter) -> StoredLog:
    counts = dict.fromkeys(("accepted", "duplicates", "conflicts"), 0)
    impossible = 0
    refused: list[str] = []
    for body in batches(meter.log, meter.device):
        answer = await _send(client, "POST", "/ingest?create=meter", body)
        for name in counts:
            counts[name] += int(answer.body.get(name, 0))
        impossible += int(answer.body.get("refused", 0))
        refused += [_reason(one) for one in answer.body.get("rejected", [])]
    log = meter.log
    return StoredLog(
        source=log.source,
        format=log.format,
        device=meter.device,
        group=log.group,
        interval_ms=log.interval_ms,
        rows=log.rows,
        kept=log.with_value,
        missing=dict(log.missing),
        rejected=dict(log.rejected),
        refused=tuple(dict.fromkeys(refused)),
        impossible=impossible,
        **counts,
    )


def batches(log: MeterLog, device: str) -> Iterator[bytes]:
    """Yield the log as bodies of `POST /api/v1/ingest` of bounded size."""
    layout = log.layout(device).to_wire()
    step = max(1, VALUES_PER_REQUEST // len(log.columns))
    for start in range(0, len(log.t_ms), step):
        part = slice(start, start + step)
        values = [column.values[part] for column in log.columns]
        yield orjson.dumps({**layout, "t": log.t_ms[part], "values": values}, option=orjson.OPT_SERIALIZE_NUMPY)


async def _register(client: httpx.AsyncClient, job: PlannedJob) -> RegisteredJob:
    answer = await _send(client, "POST", "/jobs", _job_body(job))
    summary = answer.body.get("summary") or {}
    return RegisteredJob(
        id=str(answer.body["id"]),
        name=job.name,
        created=answer.status == 201,
        start_ms=job.start_ms,
        end_ms=job.end_ms,
        nodes=job.nodes,
        energy_j=summary.get("energy_j"),
        mean_w=(summary.get("power_w") or {}).get("mean"),
        coverage=summary.get("coverage"),
        comparison=job.comparison,
    )


def _job_body(job: PlannedJob) -> dict[str, Any]:
    return {
        "cluster": job.cluster,
        "job_id": job.key,
        "submit": job.start_ms,
        "name": job.name,
        "user": job.user or None,
        "nodes": [{"node": node, "exclusive": True} for node in job.nodes],
        "start": job.start_ms,
        "end": job.end_ms,
        "state": "completed",
        "tags": dict(job.tags),
    }


@dataclass(frozen=True)
class _Answer:
    status: int
    body: dict[str, Any]


async def _send(
    client: httpx.AsyncClient, method: str, path: str, body: bytes | Mapping[str, object] | None = None
) -> _Answer:
    content = orjson.dumps(body) if isinstance(body, Mapping) else body
    headers = {"content-type": "application/json"} if content is not None else {}
    try:
        answer = await client.request(method, _API + path, content=content, headers=headers)
    except httpx.TransportError as problem:
        raise Unavailable(f"the server does not respond: {problem}", "check that it runs: wattline up") from problem
    if answer.is_success or _is_report(answer):
        return _Answer(answer.status_code, answer.json())
    raise api_error(answer)


def _is_report(answer: httpx.Response) -> bool:
    """Return whether ingest reports which batches it rejected; an error would be a problem document."""
    return answer.status_code == 422 and answer.headers.get("content-type", "").startswith("application/json")


def _reason(rejected: Mapping[str, Any]) -> str:
    parts = [str(rejected[name]) for name in ("detail", "hint") if rejected.get(name)]
    return "; ".join(parts) or str(rejected.get("code", "no reason given"))


def _as_invalid(problem: Exception) -> Invalid:
    if isinstance(problem, Invalid):
        return problem
    if isinstance(problem, ContractError):
        return Invalid(problem.detail, problem.hint, code=problem.code)
    return Invalid(str(problem), code="unreadable_file")
