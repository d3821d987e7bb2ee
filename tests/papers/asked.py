"""The questions put to the server over HTTP, as any user would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import numpy as np

Told = Mapping[str, Any]


class Server:
    """The API at a URL."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def ask(self, path: str, *query: tuple[str, object]) -> Any:
        """One GET; raises httpx.HTTPStatusError when it is refused."""
        answer = self._client.get(f"/api/v1/{path}", params=[(k, str(v)) for k, v in query])
        return answer.raise_for_status().json()

    def groups(self, by: Sequence[str], reference: str = "", **tags: str) -> dict[str, Told]:
        """Groups of repeated runs by the value of their tags."""
        query = [*(("by", name) for name in by), *(("tag", f"{k}:{v}") for k, v in tags.items())]
        found = self.ask("studies/groups", *query, *([("reference", reference)] if reference else []))
        return {group["key"]: group for group in found["groups"]}

    def power_caps(self, study: str, reference_w: float) -> Told:
        """The table of a power-cap study."""
        return dict(self.ask("studies/power-cap", ("tag", f"study:{study}"), ("reference", reference_w)))

    def jobs(self, name: str) -> list[Told]:
        """Jobs of a name, the first repeat first."""
        found = self.ask("jobs", ("q", name), ("limit", 500))["items"]
        return sorted((job for job in found if job["name"] == name), key=lambda job: int(job["tags"]["repeat"]))

    def job(self, id_: str) -> Told:
        """One job with all its figures."""
        return dict(self.ask(f"jobs/{id_}"))

    def gpu_profile(self, job: Told, gpu: int, points: int = 300) -> tuple[list[float], list[float]]:
        """Power of one GPU [W] over the fraction of the run."""
        series = self.ask(f"jobs/{job['id']}/curve", ("view", "gpu"), ("max_points", points))["series"]
        found = next(line for line in series if f"gpu/{gpu}:" in line["key"] + ":")
        start, end = (np.datetime64(job[key].rstrip("Z"), "ms").astype(np.int64) for key in ("start", "end"))
        fraction = (np.array(found["t"], np.float64) - float(start)) / float(end - start)
        watts = [np.nan if v is None else float(v) for v in found["v"]]
        return list(fraction), watts
