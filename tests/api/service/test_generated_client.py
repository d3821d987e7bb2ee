"""A client that openapi-python-client generates from the document: typed, and used against a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from app.server.serving import serving
from tests.checked_client import described

pytestmark = pytest.mark.slow

UNSUPPORTED = (
    "text/csv", "text/toml", "application/openmetrics-text", "arrow.stream", "parquet", "text/plain", "image/svg+xml",
    "spreadsheetml",
)  # fmt: skip
"""Bodies that the generator leaves out; each is declared with its media type."""

USE = '''\
"""Lists jobs, reads a curve, asks for headroom, asks what if, registers a job and a rack, without a single cast."""

import sys
from datetime import datetime

from wattline_client import AuthenticatedClient
from wattline_client.api.facility import change_rack, create_rack, get_node_curve
from wattline_client.api.headroom import evaluate_what_if, list_headroom
from wattline_client.api.jobs import get_job, get_job_curve, list_jobs, register_job
from wattline_client.models import (
    AddBody, CurveAnswer, HeadroomList, JobAnswer, JobBody, JobNodeBody, JobPage, NodeCurveAnswer, RackAnswer, RackBody,
    RackChange, WhatIfAnswer, WhatIfBody,
)


def main(url: str, start: str) -> None:
    client = AuthenticatedClient(base_url=url, token="none is set", raise_on_unexpected_status=True)
    body = JobBody(start=datetime.fromisoformat(start), nodes=[JobNodeBody(node="n1")], name="typed")
    made = register_job.sync(client=client, body=body)
    assert isinstance(made, JobAnswer)
    job: str = made.id

    jobs = list_jobs.sync(client=client)
    assert isinstance(jobs, JobPage)
    names: list[str] = [one.name for one in jobs.items]

    one = get_job.sync(job, client=client)
    assert isinstance(one, JobAnswer) and one.summary is not None
    energy_j: float | None = one.summary.energy_j

    curve = get_job_curve.sync(job, client=client)
    assert isinstance(curve, CurveAnswer)
    power_w: list[float | None] = curve.series[0].v

    node = get_node_curve.sync("n1", client=client)
    assert isinstance(node, NodeCurveAnswer)
    source: str | None = node.source

    rack = create_rack.sync(client=client, body=RackBody(key="r-new", capacity_w=70000.0))
    assert isinstance(rack, RackAnswer)
    changed = change_rack.sync("r-new", client=client, body=RackChange(height_u=42))
    assert isinstance(changed, RackAnswer)
    rack_w: float | None = changed.capacity_w

    headroom = list_headroom.sync(client=client)
    assert isinstance(headroom, HeadroomList)
    left_w: dict[str, float | None] = {row.key: row.headroom_w for row in headroom.items}

    scenario = WhatIfBody(add=[AddBody(rack="r1", model="m")], fail=["pdu-a"], basis="rated")
    answer = evaluate_what_if.sync(client=client, body=scenario)
    assert isinstance(answer, WhatIfAnswer)
    lost: list[str] = answer.lost
    print(names, energy_j, max(w for w in power_w if w is not None), source, left_w["n1"], sorted(lost), rack_w)


main(*sys.argv[1:])
'''


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_bytes(orjson.dumps(described()))
    given = ConfigFile(post_hooks=[], literal_enums=True, package_name_override="wattline_client")
    config = Config.from_sources(
        given, MetaType.NONE, folder / "openapi.json", "utf-8", overwrite=True, output_path=folder / "wattline_client"
    )
    for error in generate(config=config):
        text = f"{error.header} {error.detail} {getattr(error, 'data', '')}"
        assert any(part in text for part in UNSUPPORTED), text
    (folder / "use.py").write_text(USE, encoding="utf-8")
    return folder


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_client_is_generated_and_used(client, hall, deliver, start, generated: Path):
    deliver("pdu-a", start, {"outlet/1:power": [1500.0] * 721})
    with serving(client.app, background_tasks=False) as url:
        said = subprocess.run(
            [sys.executable, "use.py", url, "2026-11-20T10:00:00+00:00"],
            cwd=generated, capture_output=True, text=True, timeout=100,
        )  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert said.stdout == "['typed'] 10800000.0 1500.0 pdu 500.0 ['m#1', 'n1', 'n2'] 70000.0\n"


def test_its_use_is_fully_typed(generated: Path):
    mypy = [sys.executable, "-m", "mypy", "--strict", "--disallow-any-expr", "--cache-dir", os.devnull]
    found = subprocess.run(
        [*mypy, "--follow-imports=silent", "use.py"], cwd=generated, capture_output=True, text=True, timeout=110
    )
    assert found.returncode == 0, found.stdout
