import pytest

from app.domain.mlperf.power_rules import READING, START, STOP
from app.errors import Invalid
from app.importers.mlperf.training import read_power, read_window
from tests.importers.mlperf_logs import event, node_log, result_log

T = 1_753_704_000_000


def test_a_node_log_is_cleaned_for_storage_and_kept_whole_for_the_rule():
    readings = [(T + 1000, 100.0), (T + 1000, 100.0), (T + 3000, 0), (T + 2000, 120.0), (T + 4000, "NaN")]
    file = read_power(node_log(readings, T, T, 0.96) + "torn", "node_0.txt")
    assert file.log.t_ms.tolist() == [T + 1000, T + 3000]
    assert file.log.power_w.tolist() == [100, 0]
    assert file.log.rejected == {"duplicate_time": 1, "out_of_order": 1, "missing": 1, "unreadable": 1}
    assert file.official.kind.tolist() == [START, READING, READING, READING, READING, STOP]
    assert file.official.watts.tolist() == [0, 100, 100, 0, 120, 0]
    assert file.official.conversion_eff == 0.96


def test_a_switch_log_may_be_an_estimate():
    file = read_power(event("interconnect_power_est", 16100, T), "sw_0.txt")
    assert file.interconnect_w == 16100
    assert len(file.log.t_ms) == 0


def test_the_window_of_a_run():
    window = read_window(result_log(T, T + 60_000), "result_0.txt")
    assert (window.start_ms, window.stop_ms) == (T, T + 60_000)
    assert (window.benchmark, window.status) == ("bert", "success")


def test_a_run_that_did_not_stop_is_refused():
    with pytest.raises(Invalid, match="no run_stop"):
        read_window(event("run_start", None, T), "result_0.txt")
