from zoneinfo import ZoneInfo

import pytest

from app.errors import Invalid
from app.services.imports.plan import ImportOptions, plan
from tests.importers.mlperf_logs import event, node_log, result_log

NOON = 1_753_704_000_000
UTC = ZoneInfo("UTC")
CSV = "time,power_w\n1753704000,100\n1753704001,200\n1753704002,NaN\n"
SMI = "timestamp, index, power.draw [W]\n2025/07/28 12:00:00.000, 0, 300.00 W\n2025/07/28 12:00:01.000, 0, 310.00 W\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "Bench Run 7.csv"
    path.write_text(CSV)
    return path


@pytest.fixture
def benchmark(tmp_path):
    folder = tmp_path / "v4.1__Acme__2xX1__bert"
    inside = folder / "power" / "result_0"
    inside.mkdir(parents=True)
    (folder / "result_0.txt").write_text(result_log(NOON, NOON + 3000))
    for k in (0, 1):
        readings = [(NOON + 1000 * s, 1000.0) for s in range(4)]
        (inside / f"node_{k}.txt").write_text(node_log(readings, NOON - 1000, NOON + 3000))
    (inside / "sw_0.txt").write_text(event("power_reading", 700, NOON) + event("power_reading", 701, NOON + 1000))
    return folder


def load(path, **options):
    wanted = ImportOptions(UTC, **options)
    (item,) = plan([path], wanted)
    return item.load(wanted)


def test_a_log_alone_is_a_meter_alone(log):
    loaded = load(log)
    assert [(m.device, m.node) for m in loaded.meters] == [("bench-run-7-meter", None)]
    assert loaded.job is None


def test_a_log_as_a_job(log):
    loaded = load(log, as_job=True, tags={"model": "x"})
    assert [(m.device, m.node) for m in loaded.meters] == [("bench-run-7-meter", "bench-run-7")]
    job = loaded.job
    assert (job.cluster, job.key, job.name) == ("import", "bench-run-7-meter/bench-run-7", "bench-run-7")
    assert (job.start_ms, job.end_ms) == (NOON, NOON + 1000)
    assert (job.nodes, job.tags) == (("bench-run-7",), {"source": "Bench Run 7.csv", "model": "x"})


def test_names_that_were_given(log):
    loaded = load(log, device="wt310", node="hgx-01", as_job=True)
    assert [(m.device, m.node) for m in loaded.meters] == [("wt310", "hgx-01")]
    assert loaded.job.nodes == ("hgx-01",)
    assert load(log, device="wt310", as_job=True).job.nodes == ("wt310-node",)
    assert load(log, device="wt310").meters[0].node is None


def test_gpus_are_on_board_of_their_node(tmp_path):
    path = tmp_path / "smi.csv"
    path.write_text(SMI)
    (meter,) = load(path, node="hgx-01").meters
    assert (meter.device, meter.node, meter.on_board, meter.log.group) == ("smi-meter", "hgx-01", True, "gpu-0")


def test_a_training_run_has_a_meter_a_node_and_a_switch_without_one(benchmark):
    loaded = load(benchmark, as_job=True)
    assert [(m.device, m.node) for m in loaded.meters] == [
        ("acme-2xx1-node-0-meter", "acme-2xx1-node-0"),
        ("acme-2xx1-node-1-meter", "acme-2xx1-node-1"),
        ("acme-2xx1-switch-0-meter", None),
    ]
    job = loaded.job
    assert (job.cluster, job.key) == ("mlperf", "v4.1__Acme__2xX1__bert/result_0")
    assert job.nodes == ("acme-2xx1-node-0", "acme-2xx1-node-1")
    assert job.tags["official_energy_j"] == "6000.000"
    assert job.tags["official_rule"] == "MLPerf Training v4.1+"
    assert job.tags["official_difference_pct"] == "+0.000"
    assert job.tags["official_why"] == "no difference above 0.005 %"


def test_names_given_for_several_nodes_keep_what_tells_them_apart(benchmark):
    loaded = load(benchmark, device="pm", node="hgx", as_job=True)
    assert [m.device for m in loaded.meters] == ["pm-node-0", "pm-node-1", "pm-switch-0"]
    assert loaded.job.nodes == ("hgx-node-0", "hgx-node-1")


def test_one_name_for_two_systems_is_refused(benchmark, tmp_path):
    other = tmp_path / "v4.1__Other__X2__bert"
    benchmark_copy = other / "power" / "result_0"
    benchmark_copy.mkdir(parents=True)
    (other / "result_0.txt").write_text(result_log(NOON, NOON + 3000))
    with pytest.raises(Invalid, match="one name for 2 different systems: acme-2xx1, other-x2"):
        plan([tmp_path], ImportOptions(UTC, device="pm"))
    assert len(plan([tmp_path], ImportOptions(UTC))) == 2


def test_a_log_without_a_believable_row_is_refused(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("time,power_w\n1753704000,NaN\n1753704001,off\n")
    with pytest.raises(Invalid, match="no valid row") as caught:
        load(path)
    assert caught.value.hint == "dropped: 1 unreadable, 1 missing"


def test_what_is_not_there(tmp_path):
    with pytest.raises(Invalid, match="no file"):
        plan([tmp_path / "gone.csv"], ImportOptions(UTC))
    with pytest.raises(Invalid, match="no MLPerf run in this folder"):
        plan([tmp_path], ImportOptions(UTC))
    with pytest.raises(Invalid, match="no format 'xls'"):
        plan([tmp_path], ImportOptions(UTC, format="xls"))
