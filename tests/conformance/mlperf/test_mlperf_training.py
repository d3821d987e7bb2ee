"""Training runs of 1 to 64 nodes: the official joules as a named comparison, and our own energy beside them."""

from collections import defaultdict

import pytest

from app.domain.mlperf.power_rules import benchmark_energy_j
from tests.conformance.mlperf.mlperf import DATA, MISSING, folders, read, table

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.skipif(not DATA.is_dir(), reason=MISSING),
]
TOLERANCE = 0.001
EXACT = 1e-9
RUNS = {f"{r['bench_id']}/{r['run']}": r for r in table("training_runs_expected.csv")} if DATA.is_dir() else {}
SCORES = {r["bench_id"]: r for r in table("training_scores_expected.csv")} if DATA.is_dir() else {}
HERE = [folder.key for folder in folders("training")] if DATA.is_dir() else []
COMPLETE = [bench for bench, row in SCORES.items() if row["raw_saved"] == "all runs"]
PUBLISHED_J = {
    # smc.co/mlperfv40/results/llama2-70b-lora, verified by MLCommons
    "v4.0__smc-ac-power__1xSMC-H100-SXM-80GB__llama2_70b_lora": 12_127_904,
    "v4.0__smc-dc-power__1xSMC-H100-SXM-80GB__llama2_70b_lora": 11_769_962,
    "v4.0__smc-ac-power__8xSMC-H100-SXM-80GB__llama2_70b_lora": 20_644_275,
    "v4.0__smc-dc-power__8xSMC-H100-SXM-80GB__llama2_70b_lora": 20_381_549,
}


@pytest.fixture
def imported(imported_training):
    return imported_training


@pytest.fixture(scope="module")
def runs():
    return {folder.key: read(folder) for folder in folders("training")}


def test_every_run_here_is_known():
    assert len(HERE) == 106
    assert set(HERE) <= set(RUNS)


@pytest.mark.parametrize("run", HERE)
def test_official_energy(run, runs):
    comparison, official = runs[run].comparison, RUNS[run]
    assert comparison.official_energy_j == pytest.approx(float(official["energy_J"]), rel=EXACT)
    assert runs[run].start_ms == int(official["run_start_ms"])
    assert runs[run].end_ms == int(official["run_stop_ms"])
    assert comparison.rule == f"MLPerf Training {SCORES[official['bench_id']]['rule']}"


@pytest.mark.parametrize("run", HERE)
def test_the_named_steps_lead_from_ours_to_the_official_figure(run, runs):
    comparison = runs[run].comparison
    total = comparison.energy_j + sum(step.joules for step in comparison.steps)
    assert total == pytest.approx(comparison.official_energy_j, rel=1e-9)


@pytest.mark.parametrize("bench", COMPLETE)
def test_scores(bench, runs):
    row = SCORES[bench]
    own = [run for key, run in runs.items() if key.startswith(f"{bench}/")]
    assert len(own) == int(row["runs"])
    lengths = [(run.end_ms - run.start_ms) / 1000 for run in own]
    energies = [run.comparison.official_energy_j for run in own]
    score = benchmark_energy_j(row["benchmark"], lengths, energies, float(row["scaling_factor"]))
    assert score == pytest.approx(float(row["score_energy_J"]), rel=EXACT)
    if bench in PUBLISHED_J:
        assert round(score) == PUBLISHED_J[bench]


def test_every_run_is_a_job_over_all_its_nodes(imported):
    assert imported.report.problems == []
    assert not any(log.refused or log.conflicts for log in imported.report.logs)
    assert set(imported.jobs) == set(HERE)
    assert {run: len(job["nodes"]) for run, job in imported.jobs.items()} == {
        run: int(RUNS[run]["nodes"]) for run in HERE
    }


@pytest.mark.parametrize("run", HERE)
def test_our_energy_is_beside_it_with_coverage(run, imported):
    job, comparison = imported.jobs[run], imported.registered[run].comparison
    summary = job["summary"]
    assert summary["energy_j"] == pytest.approx(comparison.energy_j, rel=1e-9)
    assert summary["coverage"] == pytest.approx(comparison.coverage, abs=1e-6)
    assert 0.85 < summary["coverage"] <= 1
    official = float(RUNS[run]["energy_J"])
    assert float(job["tags"]["official_energy_j"]) == pytest.approx(official, rel=TOLERANCE)
    assert float(job["tags"]["official_difference_pct"]) == pytest.approx(
        100 * (summary["energy_j"] / official - 1), abs=1e-3
    )
    assert job["tags"]["official_why"]


def test_switch_readings_are_kept_as_meters_of_their_own(imported):
    switches = defaultdict(int)
    for log in imported.report.logs:
        if "-switch-" in log.device:
            switches[log.device] += log.kept
    assert list(switches) == ["dell-8xxe9680x8h100-sxm-80gb-power-switch-0-meter"]
