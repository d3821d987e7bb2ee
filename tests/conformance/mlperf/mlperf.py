"""The MLPerf results that lie beside the checkout, and what the real application makes of them."""

from __future__ import annotations

import asyncio
import csv
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx

from app.importers.mlperf.folder import RunFolder, find_runs
from app.importers.mlperf.run import MlperfRun, read_run
from app.server.application import create_app
from app.services.imports.import_report import ImportReport, RegisteredJob
from app.services.imports.imports import run_import
from app.settings import Settings
from app.store.database.engine import migrate
from tests.paths import SHARED

DATA = SHARED / "mlperf"
MISSING = f"no MLPerf results in {DATA}"
GROUPS = "/api/v1/studies/groups"
STREAMS = f"{GROUPS}?by=benchmark&by=scenario&by=system&tag=suite:mlperf-inference"
OFFLINE = f"{GROUPS}?by=system&tag=benchmark:resnet50&tag=scenario:Offline&reference=H200-SXM-141GBx8_TRT_MaxQ"
LORA = f"{GROUPS}?by=system&tag=benchmark:llama2_70b_lora&reference=SR780aV3-8xB200_SXM_180GB"
OFFER = "/api/v1/views/compare"


def table(name: str) -> list[dict[str, str]]:
    """Rows of one of the CSV files with the official figures."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def folders(kind: str) -> list[RunFolder]:
    """The runs whose raw logs are here."""
    return find_runs(DATA / kind)


def read(folder: RunFolder) -> MlperfRun:
    """A run, as it is imported."""
    return read_run(folder, ZoneInfo("UTC"))


@dataclass(frozen=True)
class Imported:
    """A folder brought into an application of its own, and its jobs as the API answers them, by name of the run.

    answers: what the API said to the paths it was asked.
    """

    report: ImportReport
    again: ImportReport | None
    jobs: dict[str, dict[str, Any]]
    registered: dict[str, RegisteredJob]
    answers: dict[str, dict[str, Any]]


def import_all(kind: str, *, twice: bool = False, ask: Sequence[str] = ()) -> Imported:
    """Import every run of a kind into a fresh application, through its own HTTP interface."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), database_url=f"sqlite:///{folder}/wattline.db")
        app = create_app(settings)
        migrate(app.state.stores.engine)
        try:
            return asyncio.run(_import_all(app, kind, twice, ask))
        finally:
            app.state.stores.engine.dispose()


async def _import_all(app: Any, kind: str, twice: bool, ask: Sequence[str]) -> Imported:
    transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 0))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        report = await run_import(client, [DATA / kind], as_job=True)
        again = await run_import(client, [DATA / kind], as_job=True) if twice else None
        jobs = {}
        for job in report.jobs:
            answer = await client.get(f"/api/v1/jobs/{job.id}")
            answer.raise_for_status()
            jobs[answer.json()["job_id"]] = answer.json()
        answers = {path: (await client.get(path)).raise_for_status().json() for path in ask}
    registered = {job["job_id"]: r for job, r in zip(jobs.values(), report.jobs, strict=True)}
    return Imported(report, again, jobs, registered, answers)
