import tarfile

import pytest

from app.importers.mlperf.folder import find_runs, key_of, power_texts
from app.importers.mlperf.run import read_run
from tests.importers.mlperf_logs import detail_log, event, node_log, result_log
from tests.importers.test_ptdaemon import line

NOON = 1_753_704_000_000
NAME = "v5.1__Acme__X1_8xGPU__bert-99__SingleStream"


@pytest.fixture
def inference(tmp_path):
    folder = tmp_path / NAME
    folder.mkdir()
    clocks = [f"12:00:{s:02d}.000" for s in range(13)]
    watts = [50, 100, 100, 100, 0, 100, 100, 100, 100, 100, 100, 100, 50]
    (folder / "spl.txt").write_text("".join(line(c, w) for c, w in zip(clocks, watts, strict=True)))
    marks = detail_log("07-28-2025 12:00:01.000", "07-28-2025 12:00:11.000", "SingleStream", 40)
    (folder / "mlperf_log_detail.txt").write_text(marks)
    return folder


def test_an_inference_run(inference, utc):
    (found,) = find_runs(inference.parent)
    run = read_run(found, utc)
    assert run.key == NAME
    assert (run.name, run.user) == ("bert-99 SingleStream", "Acme")
    assert (run.start_ms, run.end_ms) == (NOON + 1000, NOON + 11_000)
    assert run.tags == {
        "suite": "mlperf-inference", "round": "v5.1", "submitter": "Acme", "system": "X1_8xGPU",
        "benchmark": "bert-99", "scenario": "SingleStream", "queries": "40", "per:samples": "40",
    }  # fmt: skip
    (node,) = run.nodes
    assert node.key == "acme-x1_8xgpu"
    assert node.log.rejected == {"zero_while_running": 1}
    assert run.comparison.energy_j == 1000
    assert run.comparison.official_energy_j == 1000
    assert run.comparison.coverage == 1


def test_a_scenario_is_written_as_loadgen_writes_it_and_one_query_of_all_samples_is_none(inference, utc):
    folder = inference.rename(inference.parent / "v4.1__Acme__X1__resnet50__offline")
    marks = detail_log("07-28-2025 12:00:01.000", "07-28-2025 12:00:11.000", "Offline", 1, 363_000)
    (folder / "mlperf_log_detail.txt").write_text(marks)
    run = read_run(find_runs(folder)[0], utc)
    assert (run.tags["scenario"], run.tags["per:samples"], "queries" in run.tags) == ("Offline", "363000", False)


@pytest.fixture
def training(tmp_path):
    folder = tmp_path / "v4.1__Acme__2xX1__bert"
    for result in ("result_7-2505_1", "result_7-2505_2"):
        start = NOON + 100_000 * int(result[-1])
        inside = folder / "power" / result
        inside.mkdir(parents=True)
        (folder / f"{result}.txt").write_text(result_log(start, start + 10_000))
        readings = [(start + 1000 * k, 1000.0) for k in range(12)]
        (inside / "node_0.txt").write_text(node_log(readings, start - 1000, start + 11_000, 0.9))
        (inside / "node_10.txt").write_text(node_log(readings, start - 1000, start + 11_000, 0.9))
        (inside / "node_2.txt").write_text(node_log(readings, start - 1000, start + 11_000, 0.9))
        (inside / "sw_0.txt").write_text(event("interconnect_power_est", 200, start))
    return folder


def test_a_training_run(training, utc):
    runs = [read_run(found, utc) for found in find_runs(training)]
    assert [run.key for run in runs] == [f"{training.name}/result_7-2505_{n}" for n in (1, 2)]
    run = runs[0]
    assert [node.key for node in run.nodes] == [f"acme-2xx1-7-node-{k}" for k in (0, 2, 10)]
    assert run.tags["nodes"] == "3"
    assert run.tags["status"] == "success"
    # three nodes of 1000 W for 10 s; officially × 0.9 efficiency, and 200 W of interconnect beside
    assert run.comparison.energy_j == pytest.approx(30_000)
    assert run.comparison.official_energy_j == pytest.approx(27_000 + 2000)
    steps = {s.name: s.joules for s in run.comparison.steps if abs(s.joules) > 1e-6}
    assert steps == {"conversion efficiency": pytest.approx(-3000), "interconnect estimate": pytest.approx(2000)}


def test_one_result_file_is_one_run(training):
    (run,) = find_runs(training / "result_7-2505_2.txt")
    assert run.result == "result_7-2505_2"


def test_power_logs_in_an_archive(training):
    inside = training / "power" / "result_7-2505_1"
    with tarfile.open(training / "power_result_7-2505_1.tar.gz", "w:gz") as archive:
        archive.add(inside, "power/result_7-2505_1")
    for path in inside.iterdir():
        path.unlink()
    inside.rmdir()
    run = find_runs(training)[0]
    assert [(t.kind, t.number) for t in power_texts(run)] == [("node", 0), ("node", 2), ("node", 10), ("sw", 0)]


def test_a_run_in_a_repository_of_results_is_named_by_its_place(inference, utc):
    place = inference.parent / "inference_results_v5.1" / "closed" / "Acme" / "results" / "X1_8xGPU" / "bert-99"
    place = place / "SingleStream" / "performance"
    place.mkdir(parents=True)
    inference.rename(place / "run_1")
    (found,) = find_runs(place / "run_1" / "spl.txt")
    assert found.key == NAME
    assert read_run(found, utc).nodes[0].key == "acme-x1_8xgpu"


def test_a_folder_without_results_holds_no_run(tmp_path):
    (tmp_path / "spl.txt").write_text("")
    assert find_runs(tmp_path) == []


def test_keys():
    assert key_of("NVIDIA DGX-A100 (8×)") == "nvidia-dgx-a100-8"
    assert key_of("...") == "unnamed"
