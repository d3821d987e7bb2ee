"""The study of a sweep on the server: its runs as jobs, and its figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from getpass import getuser
from typing import Any

import httpx

from app.cli.run import answer, insist
from app.cli.sweep.plan import SweepRun

CAP, REPEAT, STUDY = "power_cap_w", "repeat", "study"
_PAGE = 500


@dataclass(frozen=True)
class Study:
    """Jobs with one name and tags, `within` a scheduler's job.

    Every call raises Unavailable or Invalid as `app.cli.run.answer` does.
    """

    client: httpx.Client
    name: str
    tags: Mapping[str, str]
    within: str | None = None

    @property
    def query(self) -> list[tuple[str, str]]:
        """Return the query for its jobs."""
        return [("tag", f"{key}:{value}") for key, value in {STUDY: self.name, **self.tags}.items()]

    def known(self) -> tuple[set[SweepRun], list[str]]:
        """Return runs that completed, and ids of jobs without an end."""
        jobs = [job for job in self._jobs() if CAP in job["tags"]]
        done = {_run(job) for job in jobs if job["state"] == "completed"}
        return done, [str(job["id"]) for job in jobs if job["end"] is None]

    def _jobs(self) -> Iterator[Mapping[str, Any]]:
        query: list[tuple[str, str]] = [*self.query, ("limit", str(_PAGE))]
        cursor = None
        while True:
            page = answer(self.client, "GET", "/api/v1/jobs", query=query + ([("cursor", cursor)] if cursor else []))
            yield from page["items"]
            if not (cursor := page["next"]):
                return

    def begin(self, run: SweepRun, node: Mapping[str, Any], tags: Mapping[str, str], start_ms: int) -> str:
        """Register a run that starts and return its id."""
        body = {
            "name": f"{self.name} {run.cap} W",
            "user": getuser(),
            "nodes": [dict(node)],
            "start": start_ms,
            "state": "running",
            "within": self.within,
            "tags": {STUDY: self.name, **tags, **self.tags, CAP: run.cap, REPEAT: str(run.repeat)},
        }
        return str(answer(self.client, "POST", "/api/v1/jobs", body)["id"])

    def end(self, job: str, end_ms: int, failure: str | None) -> None:
        """Report the end of a run, and why it failed."""
        body: dict[str, Any] = {"end": end_ms, "state": "completed" if failure is None else "failed"}
        insist(self.client, f"/api/v1/jobs/{job}", body if failure is None else body | {"tags": {"failure": failure}})

    def groups(self) -> Mapping[str, Any]:
        """Return mean ± standard deviation per cap."""
        return answer(self.client, "GET", "/api/v1/studies/groups", query=[*self.query, ("by", CAP)])

    def power_caps(self, reference_w: float) -> Mapping[str, Any]:
        """Return gains and losses against the reference cap."""
        query = [*self.query, ("by", CAP), ("reference", f"{reference_w:g}")]
        return answer(self.client, "GET", "/api/v1/studies/power-cap", query=query)


def _run(job: Mapping[str, Any]) -> SweepRun:
    repeat = job["tags"].get(REPEAT, "1")
    return SweepRun(float(job["tags"][CAP]), int(repeat) if repeat.isdigit() else 1)


def moment(t_ms: int) -> str:
    """Format a time in UTC."""
    return datetime.fromtimestamp(t_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
