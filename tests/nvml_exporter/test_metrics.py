"""/metrics, read by the strict OpenMetrics parser of prometheus_client."""

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from collectors.nvml_exporter.metrics import exposition
from collectors.nvml_exporter.sampling_thread import SamplingThread
from tests.nvml_exporter.fake_nvml import GPU_IS_LOST, NO_INSTANCE, UNKNOWN
from tests.nvml_exporter.nodes import A, B, Node, process, zone
from tests.nvml_exporter.sensors.test_job_owner import V2

OF_A = {"gpu": "0", "uuid": A}


def read(node: Node, later_ms: int = 0):
    """Families by name, and values by sample name and labels."""
    text = exposition(
        node.sampler, node.ring, SamplingThread(lambda: None, 0.5), {"/metrics": 3}, node.time.wall_ms + later_ms
    )
    families = {family.name: family for family in text_string_to_metric_families(text)}
    values = {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in families.values()
        for sample in family.samples
    }
    return families, values


def of(values, name: str, /, **labels: str) -> float:
    return values[name, frozenset(labels.items())]


def test_what_a_gpu_says(node):
    node.step(times=3, watts=400.0)
    families, values = read(node)
    instant = {"sensor": "instant", "window_ms": "25", "update_ms": "100"}
    average = {"sensor": "average", "window_ms": "1000"}
    assert of(values, "wattline_gpu_power_watts", **OF_A, **instant) == pytest.approx(400.0)
    assert of(values, "wattline_gpu_power_watts", **OF_A, **average) == pytest.approx(400.0)
    assert of(values, "wattline_gpu_energy_joules_total", **OF_A, sensor="counter") == pytest.approx(1600.0)
    assert of(values, "wattline_gpu_energy_compared_joules_total", **OF_A, method="counter") == pytest.approx(400.0)
    assert of(values, "wattline_gpu_energy_compared_joules_total", **OF_A, method="integral") == pytest.approx(400.0)
    assert of(values, "wattline_gpu_energy_difference_ratio", **OF_A) == pytest.approx(0.0)
    assert of(values, "wattline_gpu_utilization_percent", **OF_A) == 97
    assert of(values, "wattline_gpu_memory_utilization_percent", **OF_A) == 41
    assert of(values, "wattline_gpu_temperature_celsius", **OF_A) == 61
    assert of(values, "wattline_gpu_power_limit_watts", **OF_A) == 700
    assert of(values, "wattline_gpu_clock_hertz", **OF_A, clock="sm") == 1.98e9
    assert of(values, "wattline_gpu_throttle_reason", **OF_A, reason="sw_power_cap") == 1
    assert of(values, "wattline_gpu_throttle_reason", **OF_A, reason="hw_slowdown") == 0
    assert of(values, "wattline_gpu_info", **OF_A, name="NVIDIA H100 80GB HBM3", mig="0") == 1
    assert (families["wattline_gpu_power_watts"].unit, families["wattline_gpu_power_watts"].type) == ("watts", "gauge")


def test_every_family_says_what_it_is(node):
    node.step()
    families, _ = read(node)
    assert all(family.documentation for family in families.values())
    assert {
        name for name, family in families.items() if not name.startswith("wattline_") or not family.samples
    } == set()
    assert {f.unit for f in families.values()} >= {"watts", "joules", "celsius", "percent", "hertz", "seconds"}


def test_a_lost_gpu_has_no_values_but_its_loss(node):
    node.step()
    node.driver.boards[0].broken = GPU_IS_LOST
    node.step()
    _, values = read(node)
    assert of(values, "wattline_gpu_lost", **OF_A) == 1
    assert of(values, "wattline_gpu_lost", gpu="1", uuid=B) == 0
    assert [name for name, labels in values if name == "wattline_gpu_temperature_celsius"] == [
        "wattline_gpu_temperature_celsius"
    ]


def test_an_old_reading_is_not_shown_as_fresh(node):
    node.step()
    families, values = read(node, later_ms=2001)
    assert not [name for name in families if name.startswith("wattline_gpu")]
    at_s = of(values, "wattline_exporter_last_sample_timestamp_seconds")
    assert at_s == pytest.approx(node.time.wall_ms / 1000)


def test_jobs_and_cpus(node, make_node, tmp_path):
    process(tmp_path, 11, V2)
    energy = zone(tmp_path, "intel-rapl:0", "package-0", 0) / "energy_uj"
    zone(tmp_path, "intel-rapl:0:0", "dram", 0)
    node = make_node(*node.driver.boards)
    node.driver.boards[0].processes = [(11, NO_INSTANCE)]
    node.step()
    energy.write_text("50000000")
    node.step()
    _, values = read(node)
    assert of(values, "wattline_gpu_job_info", **OF_A, job="1392969") == 1
    cpu = {"package": "0", "sensor": "counter"}
    assert of(values, "wattline_cpu_package_power_watts", **cpu) == pytest.approx(100.0)
    assert of(values, "wattline_cpu_package_energy_joules_total", **cpu) == pytest.approx(50.0)
    assert of(values, "wattline_cpu_dram_power_watts", **cpu) == 0.0


def test_how_the_exporter_fares(node):
    node.step()
    node.driver.boards[0].errors = {"nvmlDeviceGetEnforcedPowerLimit": UNKNOWN}
    node.step(times=2)
    _, values = read(node)
    assert of(values, "wattline_exporter_driver_up") == 1
    assert of(values, "wattline_exporter_driver_info", version="590.48.01") == 1
    assert of(values, "wattline_exporter_nvml_errors_total", code="nvml_999") == 2
    assert of(values, "wattline_exporter_ring_rows") == 3
    assert of(values, "wattline_exporter_requests_total", path="/metrics") == 3
    assert of(values, "wattline_exporter_resident_memory_bytes") > 1e6
