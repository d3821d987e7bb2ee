"""Requests to the server over HTTP, as any user would make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import numpy as np

Result = Mapping[str, Any]


class Server:
    """The API of one server."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def get(self, path: str, *query: tuple[str, object]) -> Any:
        """Send one GET and return its JSON; raises httpx.HTTPStatusError for an error status."""
        response = self._client.get(f"/api/v1/{path}", params=[(k, str(v)) for k, v in query])
        return response.raise_for_status().json()

    def groups(self, by: Sequence[str], reference: str = "", **tags: str) -> dict[str, Result]:
        """Return groups of repeated runs by the value of their tags."""
        query = [*(("by", name) for name in by), *(("tag", f"{k}:{v}") for k, v in tags.items())]
        found = self.get("studies/groups", *query, *([("reference", reference)] if reference else []))
        return {group["key"]: group for group in found["groups"]}

    def power_caps(self, study: str, reference_w: float) -> Result:
        """Return the table of a power-cap study."""
        return dict(self.get("studies/power-cap", ("tag", f"study:{study}"), ("reference", reference_w)))

    def jobs(self, name: str) -> list[Result]:
        """Return the jobs with this name, ordered by repeat."""
        found = self.get("jobs", ("q", name), ("limit", 500))["items"]
        return sorted((job for job in found if job["name"] == name), key=lambda job: int(job["tags"]["repeat"]))

    def job(self, id_: str) -> Result:
        """Return one job with its figures."""
        return dict(self.get(f"jobs/{id_}"))

    def gpu_profile(self, job: Result, gpu: int, points: int = 300) -> tuple[list[float], list[float]]:
        """Return the power of one GPU [W] over the fraction of the run."""
        series = self.get(f"jobs/{job['id']}/curve", ("view", "gpu"), ("max_points", points))["series"]
        found = next(line for line in series if f"gpu/{gpu}:" in line["key"] + ":")
        start, end = (np.datetime64(job[key].rstrip("Z"), "ms").astype(np.int64) for key in ("start", "end"))
        fraction = (np.array(found["t"], np.float64) - float(start)) / float(end - start)
        watts = [np.nan if v is None else float(v) for v in found["v"]]
        return list(fraction), watts
