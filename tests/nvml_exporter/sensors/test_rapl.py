"""RAPL zones as /sys/class/powercap shows them on a node of two packages."""

import pytest

from collectors.nvml_exporter.sensors.rapl import zones
from tests.nvml_exporter.nodes import zone


def test_packages_and_their_memory(tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0", 5_000_000)
    zone(tmp_path, "intel-rapl:0:0", "core", 1)
    zone(tmp_path, "intel-rapl:0:1", "dram", 7_000_000, 65_712_999_613)
    zone(tmp_path, "intel-rapl:1", "package-1", 6_000_000)
    zone(tmp_path, "intel-rapl:2", "psys", 9)
    zone(tmp_path, "intel-rapl-mmio:0", "package-0", 5_000_001)
    found = zones(tmp_path / "powercap")
    assert [(z.point, z.modulus_j) for z in found] == [
        ("cpu/0", pytest.approx(262_143.328850)),
        ("cpu/0/dram", pytest.approx(65_712.999613)),
        ("cpu/1", pytest.approx(262_143.328850)),
    ]
    assert [z.read_j() for z in found] == pytest.approx([5.0, 7.0, 6.0])


def test_packages_of_several_dies(tmp_path):
    zone(tmp_path, "intel-rapl:0", "package-0-die-0", 1)
    zone(tmp_path, "intel-rapl:1", "package-0-die-1", 1)
    zone(tmp_path, "intel-rapl:2", "package-1-die-0", 1)
    assert [z.point for z in zones(tmp_path / "powercap")] == ["cpu/0", "cpu/0-1", "cpu/1"]


def test_what_cannot_be_read_is_not_there(tmp_path):
    path = zone(tmp_path, "intel-rapl:0", "package-0", 1)
    (path / "energy_uj").unlink()  # as unreadable as a file of root is to others
    assert zones(tmp_path / "powercap") == ()
    assert zones(tmp_path / "nothing") == ()


def test_a_zone_that_goes_is_missing(tmp_path):
    path = zone(tmp_path, "intel-rapl:0", "package-0", 1)
    (found,) = zones(tmp_path / "powercap")
    (path / "energy_uj").write_text("")
    assert found.read_j() != found.read_j()
