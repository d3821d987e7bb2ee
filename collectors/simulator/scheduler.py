"""The batch scheduler of the demo: registers jobs when they start and closes them when they end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from collectors.contract import DAY_MS
from collectors.simulator.api_client import ApiClient, milliseconds
from collectors.simulator.plant import Occurrence, Plant, device_events, occurrences, working

CLUSTERS = ("bnl", "horeka")
_CORES = {"hgx-h100": 32, "horeka-green": 76, "horeka-blue": 76}
_PROJECTS = {"latif-2024": "node-power", "caspart-2022": "ai-energy"}


class Scheduler:
    """Registers and closes jobs on the server. Jobs it already has stay unchanged, so calls can be repeated."""

    def __init__(self, client: ApiClient, plant: Plant, from_ms: int) -> None:
        self._client = client
        self._plant = plant
        self._from_ms = from_ms
        self._known: set[tuple[str, str]] = set()
        self._running: dict[tuple[str, str], str] = {}
        self._look_from_ms = from_ms
        self._reported: list[dict[str, object]] = []

    async def load(self) -> None:
        """Load the jobs the server has; running ones are closed by a later `advance`."""
        for cluster in CLUSTERS:
            for job_id, job in (await self._client.jobs(cluster)).items():
                self._known.add((cluster, job_id))
                if job["end"] is None:
                    self._running[cluster, job_id] = str(job["id"])
                    self._look_from_ms = min(self._look_from_ms, milliseconds(job["start"]))

    async def advance(self, now_ms: int) -> int:
        """Register jobs started since `from_ms`, close those that have ended, and report device events; return the
        number of new jobs.
        """
        events = device_events(self._look_from_ms, now_ms)
        if events != self._reported:
            await self._client.report(events)
            self._reported = events
        new = 0
        for job in occurrences(self._plant.runs, self._look_from_ms, now_ms):
            key = (job.run.cluster, job.job_id)
            ended = job.end_ms <= now_ms
            if key not in self._known and job.start_ms >= self._from_ms:
                id_ = await self._client.create_job(self._registration(job, ended))
                self._known.add(key)
                new += 1
                if not ended:
                    self._running[key] = id_
            elif key in self._running and ended:
                await self._client.finish_job(self._running.pop(key), job.end_ms)
        self._look_from_ms = max(self._from_ms, now_ms - 2 * DAY_MS)
        return new

    def _registration(self, job: Occurrence, ended: bool) -> Mapping[str, Any]:
        run = job.run
        tags = run.work.tags | {"repeat": str(run.repeat)}
        body: dict[str, Any] = {
            "cluster": run.cluster,
            "job_id": job.job_id,
            "submit": job.submit_ms,
            "name": run.work.key,
            "user": run.user,
            "project": _PROJECTS[tags["paper"]],
            "nodes": [self._allocation(job)],
            "start": job.start_ms,
            "state": "completed" if ended else "running",
            "tags": tags,
        }
        return body | {"end": job.end_ms} if ended else body

    def _allocation(self, job: Occurrence) -> Mapping[str, Any]:
        node = self._plant.nodes[job.run.node]
        model = self._plant.facility.nodes[node.key].model
        part: dict[str, Any] = {"node": node.key, "exclusive": True, "cores": _CORES[model]}
        if job.run.work.gpus:
            part["gpus"] = list(working(job.run, node.model.gpus))
        return part
