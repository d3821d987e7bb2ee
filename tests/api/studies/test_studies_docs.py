"""The page about studies: its requests are answered, its fields and reasons are the ones there are."""

from __future__ import annotations

import io
import re
from typing import get_args, get_type_hints

import pandas as pd
import pytest

from app.services.studies.study_runs import ExcludedJob
from tests.api.studies.studies import Bench, published_caps
from tests.paths import DOCS

PAGE = (DOCS / "studies.md").read_text("utf-8")
COMMANDS = re.findall(r"curl -s(?:OJ)? 'http://127\.0\.0\.1:8000(\S+?)'", PAGE)


@pytest.fixture
def runs(client, hall, start) -> dict[str, str]:
    """Runs that the page speaks of."""
    bench = Bench(client, start)
    for node_type, watts in (("gpu", 665), ("cpu-mix", 644), ("cpu-only", 374)):
        bench.run(watts, 10, tags={"node_type": node_type, "use_case": "energy"})
    bench.run(5000, 10, tags={"system": "h200", "benchmark": "resnet50", "scenario": "Offline", "per:samples": 1000})
    return published_caps(bench)


def test_its_requests_are_answered(client, runs):
    assert len(COMMANDS) == 9
    for command in COMMANDS:
        answer = client.get(command.replace("JOB", runs["260"]))
        assert answer.status_code == 200, (command, answer.text[:300])
        if "groups?" in command:
            assert answer.json()["groups"], command


def test_its_fields_are_those_of_the_answer(client, runs):
    (command,) = [c for c in COMMANDS if "power-cap?" in c]
    answer = client.get(command).json()
    told = re.findall(r"^\| `(\w+)`(?:, `(\w+)`)? \|", PAGE, re.MULTILINE)
    for name in (name for pair in told for name in pair if name and name != "best"):
        assert name in answer["caps"][0], name
    assert answer["best"].keys() == {"energy_gain_pct", "difference_pct", "edp_gain_pct", "eds_gain_pct"}
    capped = answer["caps"][0]
    published = (capped["difference_pct"], capped["edp_gain_pct"], capped["eds_gain_pct"]["2.0"])
    assert tuple(round(x, 1) for x in published) == (15.1, 17.3, 7.5)


def test_every_reason_to_leave_a_job_out_is_on_it():
    reasons = set(get_args(get_type_hints(ExcludedJob)["reason"]))
    assert len(reasons) == 6
    assert {reason for reason in reasons if f"`{reason}`" not in PAGE} == set()


def test_its_line_of_python_makes_a_table(client, runs):
    (address,) = re.findall(r'"http://127\.0\.0\.1:8000(\S+?)"', PAGE)
    groups = pd.read_csv(io.StringIO(client.get(address).text))
    assert list(groups["node_type"]) == ["cpu-mix", "cpu-only", "gpu"]
    assert groups["ratio_energy_j"][0] == pytest.approx(644 / 665)
