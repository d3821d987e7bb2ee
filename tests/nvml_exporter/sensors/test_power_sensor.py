"""What is published of power sensors, and nothing beyond it."""

import pytest

from collectors.nvml_exporter.sensors.gpu import Sensor, SensorClass
from collectors.nvml_exporter.sensors.power_sensor import plain_class, sensor

INSTANT, AVERAGE = SensorClass.INSTANT, SensorClass.AVERAGE


@pytest.mark.parametrize(
    ("name", "architecture", "kind"),
    [
        ("Tesla V100-SXM2-16GB", 5, INSTANT),
        ("Tesla T4", 6, INSTANT),
        ("NVIDIA A100-SXM4-80GB", 7, INSTANT),
        ("NVIDIA A30", 7, INSTANT),
        ("NVIDIA A30X", 7, INSTANT),
        ("NVIDIA A10", 7, AVERAGE),
        ("NVIDIA RTX A3000 Laptop GPU", 7, AVERAGE),
        ("NVIDIA H100 80GB HBM3", 9, AVERAGE),
        ("NVIDIA B200", 10, AVERAGE),
        ("something", 0xFFFFFFFF, INSTANT),
        ("something", 0, INSTANT),
    ],
)
def test_the_one_reading_of_older_drivers(name, architecture, kind):
    assert plain_class(name, architecture) is kind


@pytest.mark.parametrize("name", ["NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3"])
def test_a_sensor_that_sees_a_quarter_of_the_time(name):
    assert sensor(INSTANT, name) == Sensor(INSTANT, window_ms=25, update_ms=100)


@pytest.mark.parametrize("name", ["NVIDIA H200", "NVIDIA A1000", "NVIDIA L40S"])
def test_what_no_one_published(name):
    assert sensor(INSTANT, name) == Sensor(INSTANT)


def test_an_average_is_over_a_second():
    assert sensor(AVERAGE, "NVIDIA H200") == Sensor(AVERAGE, window_ms=1000)
