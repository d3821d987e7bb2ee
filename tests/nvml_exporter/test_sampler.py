"""What a sampler makes of a node where things happen."""

import math

import pytest

from tests.nvml_exporter.fake_nvml import DRIVER_NOT_LOADED, ENERGY, GPU_IS_LOST, NO_INSTANCE, NOT_SUPPORTED
from tests.nvml_exporter.nodes import START_MS, A, B, board, process, zone
from tests.nvml_exporter.sensors.test_job_owner import V1, V2


def test_a_row_holds_every_gpu(node):
    node.step(watts=400.0)
    row = node.ring.last
    assert row.t_ms == START_MS + 500
    assert [column.name for column in row.schema][:2] == ["gpu/0:power_instant", "gpu/0:power_average"]
    assert [c.name for c in row.schema if c.value == "energy"] == ["gpu/0:energy", "gpu/1:energy"]
    assert {c.uuid for c in row.schema} == {A, B}
    assert node.value("gpu/0:power_average") == pytest.approx(400.0)
    assert node.value("gpu/1:power_average") == pytest.approx(300.0)
    assert node.value("gpu/0:energy") == pytest.approx(1200.0)  # 1000 J and half a second of 400 W
    assert node.kinds() == []


def test_energy_by_counter_beside_the_integral(node):
    node.step(times=21, watts=380.0)
    account = node.sampler.gpus[0].account
    assert account.counter_j == pytest.approx(3800.0)  # 10 s of 380 W
    assert account.integral_j == pytest.approx(4000.0)  # 10 s of 400 W
    assert account.difference == pytest.approx(200 / 3800)
    assert node.value("gpu/0:energy_integral") == pytest.approx(4000.0)


def test_a_lost_gpu_is_one_event_the_other_goes_on_and_it_may_come_back(node):
    node.step()
    node.driver.boards[1].broken = GPU_IS_LOST
    node.step(times=5)
    assert node.kinds() == ["gpu_lost"]
    (event,) = node.events()
    assert (event.point, event.uuid, event.severity, event.t_ms) == ("gpu/1", B, "critical", START_MS + 1000)
    assert math.isnan(node.value("gpu/1:power_average"))
    assert node.value("gpu/0:power_average") == pytest.approx(400.0)
    node.driver.boards[1].broken = 0
    node.step(times=10)  # asked again 5 s after it was lost
    assert node.kinds() == ["gpu_lost", "gpu_back"]
    assert node.value("gpu/1:power_average") == pytest.approx(300.0)


def test_a_lost_gpu_is_not_asked_every_time(node):
    node.step()
    node.driver.boards[1].broken = GPU_IS_LOST
    node.step()
    node.driver.calls.clear()
    node.step(times=9)
    assert "nvmlDeviceGetHandleByUUID" not in node.driver.calls
    node.step(times=2)
    assert node.driver.calls.count("nvmlDeviceGetHandleByUUID") == 1


def test_a_driver_reload(node):
    node.step(times=2, watts=100.0)
    node.driver.broken = DRIVER_NOT_LOADED
    node.step(times=4)
    assert node.kinds() == ["driver_gone"]
    assert math.isnan(node.value("gpu/0:power_average"))
    node.driver.reload()
    node.driver.version = "595.71.05"
    node.step(times=10, watts=100.0)
    assert node.kinds() == ["driver_gone", "driver_reloaded", "counter_reset", "counter_reset"]
    assert "595.71.05" in node.events()[1].detail
    assert "590.48.01" in node.events()[1].detail
    assert node.value("gpu/0:power_average") == pytest.approx(400.0)
    before = node.sampler.gpus[0].account.counter_j
    node.step(times=2, watts=100.0)
    assert node.sampler.gpus[0].account.counter_j == pytest.approx(before + 100.0)


def test_a_reload_between_two_samples_is_noticed_too(node):
    node.step()
    node.driver.reload()
    node.step(times=11)
    assert node.kinds()[:2] == ["driver_gone", "driver_reloaded"]


def test_after_a_reload_a_board_may_be_missing_or_have_another_number(node):
    node.step()
    boards = node.driver.boards
    node.driver.reload()
    node.driver.boards = [boards[1]]
    node.step(times=12)
    assert node.kinds()[:3] == ["driver_gone", "driver_reloaded", "gpu_lost"]
    assert node.events()[2].uuid == A
    assert {column.uuid for column in node.ring.last.schema} == {B}
    assert node.value("gpu/0:power_average") == pytest.approx(300.0)
    node.driver.reload()
    node.driver.boards = boards
    node.step(times=12)
    assert "gpu_back" in node.kinds()
    assert node.value("gpu/1:power_average") == pytest.approx(300.0)


def test_a_gpu_that_was_lost_before_the_start_is_looked_for(make_node):
    node = make_node(board(A), board(B, broken=GPU_IS_LOST))
    node.step(times=3)
    assert node.kinds() == ["gpu_lost"]
    assert node.events()[0].detail == "GPU 1: nvmlDeviceGetUUID: GPU is lost"
    node.driver.boards[1].broken = 0
    node.step(times=121)
    assert node.kinds() == ["gpu_lost", "gpu_back"]
    assert node.value("gpu/1:power_average") == pytest.approx(400.0)


@pytest.mark.parametrize(
    ("counter_mj", "kind"), [(5, "counter_reset"), (9_000_000, "counter_stepped"), (1_200_000, None)]
)
def test_counters(node, counter_mj, kind):
    node.step()
    node.driver.boards[0].fields[ENERGY] = counter_mj
    node.step()
    assert node.kinds() == ([kind] if kind else [])


def test_a_counter_at_its_end_wraps(node):
    node.driver.boards[0].fields[ENERGY] = 2**64 - 50_000
    node.step()
    node.driver.boards[0].fields[ENERGY] = 150_000
    node.step()
    assert node.kinds() == ["counter_wrapped"]


def test_jobs_of_a_gpu(node, tmp_path):
    process(tmp_path, 11, V2)
    process(tmp_path, 12, V1)
    node.driver.boards[0].processes = [(11, NO_INSTANCE), (12, NO_INSTANCE), (13, NO_INSTANCE)]
    node.step(times=3)
    assert [(e.kind, e.point, e.jobs) for e in node.events()] == [("gpu_jobs", "gpu/0", ("1392969", "195428"))]
    node.driver.boards[0].processes = []
    node.step()
    assert node.events()[1].detail == "gpu/0 is used by no Slurm job"
    assert node.sampler.gpus[0].jobs == frozenset()


def test_jobs_on_mig_instances(make_node, tmp_path):
    process(tmp_path, 11, V2)
    process(tmp_path, 12, V1)
    one = board(A, mig=1, processes=[(11, 3), (12, 5)], errors={"nvmlDeviceGetUtilizationRates": NOT_SUPPORTED})
    node = make_node(one)
    node.step()
    assert node.sampler.gpus[0].jobs == {("1392969", 3), ("195428", 5)}
    assert not [column for column in node.ring.last.schema if column.value == "utilization"]


def test_cpu_packages_join_in(make_node, tmp_path):
    energy = zone(tmp_path, "intel-rapl:0", "package-0", 5_000_000) / "energy_uj"
    node = make_node(board(A))
    node.step()
    energy.write_text("105000000\n")
    node.step()
    assert node.value("cpu/0:power") == pytest.approx(200.0)  # 100 J in half a second
    assert node.value("cpu/0:energy") == pytest.approx(105.0)


def test_a_cpu_counter_wraps_without_a_word(make_node, tmp_path):
    energy = zone(tmp_path, "intel-rapl:0", "package-0", 262_143_000_000, 262_143_328_850) / "energy_uj"
    node = make_node()
    node.step()
    energy.write_text("99671150\n")
    node.step()
    assert node.value("cpu/0:power") == pytest.approx(200.0)  # 0.328850 J up to the end, 99.671150 J after it
    assert node.sampler.zones[0].account.wraps == 1
    assert node.kinds() == []


def test_a_cpu_counter_that_pauses(make_node, tmp_path):
    energy = zone(tmp_path, "intel-rapl:0", "package-0", 0) / "energy_uj"
    node = make_node()
    node.step()
    energy.write_text("")
    node.step()
    assert math.isnan(node.value("cpu/0:power"))
    energy.write_text("200000000")
    node.step()
    assert node.value("cpu/0:power") == pytest.approx(200.0)  # 200 J since the last reading, a second ago


def test_without_a_driver_it_looks_again(node):
    node.driver.broken = DRIVER_NOT_LOADED
    node.step(times=30)
    assert node.kinds() == ["driver_gone"]
    assert not node.sampler.is_open
    node.driver.broken = 0
    node.step(times=11)
    assert node.value("gpu/0:power_average") == pytest.approx(400.0)


def test_a_clock_that_is_set(node):
    node.step(times=2)
    node.time.wall_ms += 90_000
    node.step(times=2)
    (event,) = node.events()
    assert (event.kind, event.detail) == ("clock_stepped", "the clock of the node was changed by +90.0 s")
    node.time.wall_ms -= 60_000
    node.step()
    assert node.events()[-1].detail == "the clock of the node was changed by -60.0 s"
