"""MLPerf runs as studies: systems compared by J per query and per sample, repeated trainings with their scatter.

Official: millijoules per query of the stream scenarios as published; of Offline runs mean power over the published
samples per second; of trainings the energies of the official rule, whose own way to a run differs from ours by what
docs/mlperf.md names (efficiency, window), so that only the ratio of two systems is held against ours.
"""

from __future__ import annotations

import re
import statistics
from typing import Any

import pytest

from tests.conformance.mlperf.mlperf import DATA, LORA, MISSING, OFFER, OFFLINE, STREAMS, table

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not DATA.is_dir(), reason=MISSING),
]
INFERENCE = {row["run_id"]: row for row in table("inference_expected.csv")} if DATA.is_dir() else {}


@pytest.fixture
def inference(imported_inference):
    return imported_inference.answers


@pytest.fixture
def training(imported_training):
    return imported_training


def by_key(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {group["key"]: group for group in answer["groups"]}


def test_joules_per_query_are_the_published_ones(inference):
    groups = by_key(inference[STREAMS])
    checked = 0
    for run, row in INFERENCE.items():
        if row["metric_unit"] != "millijoules":
            continue
        scenario = {"singlestream": "SingleStream", "multistream": "MultiStream"}[row["scenario_folder"].lower()]
        system = run.split("__")[2]  # the folder; the table spells one of them otherwise
        group = groups[f"{row['benchmark']} · {scenario} · {system}"]
        queries = 1000 * group["j_per"]["queries"]["mean"]
        assert queries == pytest.approx(float(row["metric_by_rule"]), rel=0.005), row["run_id"]
        checked += 1
    assert checked >= 7


def test_joules_per_sample_of_offline_runs_are_power_over_throughput(inference):
    groups = by_key(inference[OFFLINE])
    expected = {}
    for run, row in INFERENCE.items():
        if row["benchmark"] == "resnet50" and row["scenario_folder"].lower() == "offline":
            summary = (DATA / "inference" / run / "mlperf_log_summary.txt").read_text()
            rate = re.search(r"Samples per second: ([\d.e+]+)", summary)
            assert rate
            expected[row["system"]] = float(row["avg_w"]) / float(rate[1])
    assert set(groups) == set(expected)  # `offline` and `Offline` are one scenario
    assert len(groups) == 5
    for system, joules in expected.items():
        assert groups[system]["j_per"]["samples"]["mean"] == pytest.approx(joules, rel=0.01), system
        assert "queries" not in groups[system]["j_per"]  # one query of everything says nothing
    h200 = expected["H200-SXM-141GBx8_TRT_MaxQ"]
    a100 = groups["XE8545_A100_SXM_80GBx4_TRT_MaxQ"]
    ratio = expected["XE8545_A100_SXM_80GBx4_TRT_MaxQ"] / h200
    assert a100["ratio"]["samples"]["value"] == pytest.approx(ratio, rel=0.02)


def test_repeated_trainings_have_a_mean_and_a_scatter(training):
    groups = by_key(training.answers[LORA])
    own: dict[str, list[float]] = {}
    for job in training.jobs.values():
        if job["tags"]["benchmark"] == "llama2_70b_lora":
            own.setdefault(job["tags"]["system"], []).append(job["summary"]["energy_j"])
    assert {key: group["n"] for key, group in groups.items()} == {key: len(runs) for key, runs in own.items()}
    for key, joules in own.items():
        assert groups[key]["energy_j"]["mean"] == pytest.approx(statistics.mean(joules))
        assert groups[key]["energy_j"]["std"] == pytest.approx(statistics.stdev(joules))


def test_the_systems_stand_in_the_official_order(training):
    official: dict[str, list[float]] = {}
    for row in table("training_runs_expected.csv"):
        _, _, system, benchmark = row["bench_id"].split("__")
        if benchmark == "llama2_70b_lora" and system in ("SR780aV3-8xB200_SXM_180GB", "8xXE9680x8H100-SXM-80GB-POWER"):
            official.setdefault(system, []).append(float(row["energy_J"]))
    lenovo, dell = (
        statistics.mean(official[key]) for key in ("SR780aV3-8xB200_SXM_180GB", "8xXE9680x8H100-SXM-80GB-POWER")
    )
    group = by_key(training.answers[LORA])["8xXE9680x8H100-SXM-80GB-POWER"]
    assert group["n"] == 10
    assert group["ratio"]["energy_j"]["value"] == pytest.approx(dell / lenovo, rel=0.03)  # efficiencies 0.94 and 0.96


def test_the_page_offers_the_comparison_by_itself(training):
    offers = training.answers[OFFER]["suggestions"]
    assert any(offer["by"] == "system" and ["benchmark", "llama2_70b_lora"] in offer["where"] for offer in offers)
