"""Every third-party exposition that is kept; expected numbers read off the texts (W, J, %, °C)."""

import asyncio
import re

import pytest

from collectors.profiles.registry import find
from collectors.protocols.openmetrics.plan import read_exposition
from tests.conformance.captures import SHARED, capture

pytestmark = pytest.mark.conformance

NVIDIA = "nvml/nvidia_gpu_exporter/expected_metrics"
# power.draw, power.draw.instant, enforced limit [W], utilization [%] or None where the GPU is cut into slices
GPUS = {
    "demo__seeded": (627.4, 626.26, 700, 100),
    "linux-x86_64__nvidia-geforce-rtx-2080-super__595.71.05__idle": (39.32, 39.32, 250, 0),
    "linux-x86_64__nvidia-geforce-rtx-2080-super__595.71.05__load": (111.5, 111.5, 250, 8),
    "linux-x86_64__nvidia-geforce-rtx-2080-super__610.57.04__idle": (39.17, 39.17, 250, 0),
    "linux-x86_64__nvidia-geforce-rtx-2080-super__610.57.04__load": (98.14, 98.14, 250, 8),
    "linux-x86_64__nvidia-geforce-rtx-4080-super__595.71.05__idle": (26.2, 28.77, 320, 0),
    "linux-x86_64__nvidia-geforce-rtx-4080-super__595.71.05__load": (84.24, 86.41, 320, 7),
    "linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01__idle": (69.85, 69.62, 700, 0),
    "linux-x86_64__nvidia-h100-80gb-hbm3__590.48.01__load": (631.95, 625.68, 700, 100),
    "linux-x86_64__nvidia-h100-mig__590.48.01__idle": (71.15, 70.72, 700, None),
    "linux-x86_64__nvidia-h100-mig__590.48.01__load": (433.78, 447.35, 700, None),
    "linux-x86_64__nvidia-h200-mig__590.48.01__idle": (78.28, 78.21, 700, None),
    "linux-x86_64__nvidia-h200-mig__590.48.01__load": (295.01, 294.14, 700, None),
    "linux-x86_64__nvidia-h200__590.48.01__idle": (77.71, 78.21, 700, 0),
    "linux-x86_64__nvidia-h200__590.48.01__load": (627.4, 626.26, 700, 100),
    "linux-x86_64__nvidia-l40s__595.80__idle": (144.97, 127.67, 350, 100),
    "linux-x86_64__nvidia-l40s__595.80__load": (110.23, 112.38, 350, 9),
    "windows-x86_64__nvidia-geforce-rtx-2080-super__591.86__idle": (38.92, 38.92, 250, 0),
    "windows-x86_64__nvidia-geforce-rtx-2080-super__591.86__load": (97.43, 97.43, 250, 7),
    "windows-x86_64__nvidia-geforce-rtx-2080-super__610.62__idle": (39.25, 39.25, 250, 0),
    "windows-x86_64__nvidia-geforce-rtx-2080-super__610.62__load": (97.99, 97.99, 250, 7),
}

CEEMS = "nvml/ceems/expected_exporter"
RAPL = {
    "cpu/0:energy": 258218.293244,
    "cpu/1:energy": 130570.505826,
    "dram/0:energy": 24468.409791,
    "dram/1:energy": 64930.394974,
}
REDFISH = {"chassis/Chassis_1:power": 397.0, "chassis/Chassis_2:power": 1696.0}
HWMON = {
    "hwmon/socket/power1:power": 270.0,
    "hwmon/socket/power2:power": 156.0,
    "hwmon/socket/energy1:energy": 22323.0,
    "hwmon/socket/energy2:energy": 9509.0,
}
CRAY = {
    "node:power": 873.0,
    "node:energy": 1_360_621_494.0,
    "cray/accel0:power": 99.0,
    "cray/accel1:power": 197.0,
    "cray/accel2:power": 263.0,
    "cray/accel3:power": 123.0,
    "cray/cpu:power": 83.0,
    "cray/memory:power": 75.0,
    "cray/accel0:energy": 208_970_342.0,
    "cray/accel1:energy": 268_461_017.0,
    "cray/accel2:energy": 271_696_890.0,
    "cray/accel3:energy": 251_713_932.0,
    "cray/cpu:energy": 139_431_088.0,
    "cray/memory:energy": 104_283_458.0,
}
# what the BMC says [W], and what else there is
NODES = {
    "e2e-test-cgroupsv1-k8s-output": (5942, {}),
    "e2e-test-cgroupsv1-libvirt-output": (5942, {}),
    "e2e-test-cgroupsv1-memory-subsystem-output": (332, {}),
    "e2e-test-cgroupsv1-output": (332, CRAY | REDFISH),
    "e2e-test-cgroupsv2-all-metrics-output": (5942, CRAY | REDFISH),
    "e2e-test-cgroupsv2-amd-ipmitool-output": (2578, HWMON | REDFISH),
    "e2e-test-cgroupsv2-k8s-nogpu-output": (5942, {}),
    "e2e-test-cgroupsv2-k8s-output": (5942, REDFISH),
    "e2e-test-cgroupsv2-libvirt-nonsystemd-layout-output": (5942, REDFISH),
    "e2e-test-cgroupsv2-libvirt-output": (5942, REDFISH),
    "e2e-test-cgroupsv2-nogpu-output": (5942, {}),
    "e2e-test-cgroupsv2-nvidia-gpu-reordering": (49, CRAY),
    "e2e-test-cgroupsv2-nvidia-ipmiutil-output": (49, REDFISH),
    "e2e-test-cgroupsv2-procfs-output": (49, CRAY),
}


def values(profile: str, path: str) -> dict[str, float]:
    return {
        found.series.key: found.value
        for found in asyncio.run(read_exposition(find(profile), capture(path).read_text()))
    }


def test_every_exposition_is_here():
    kept = {path.stem for path in capture(NVIDIA).glob("*.metrics")}
    assert kept == set(GPUS)
    assert {path.stem for path in capture(CEEMS).glob("*.txt")} == set(NODES)
    assert {path.name for path in SHARED.glob("nvml/dcgm/*.prom")} == {
        "dcgm_exporter_a100_mig.prom",
        "dcgm_exporter_blank_sentinel.prom",
    }


@pytest.mark.parametrize("name", GPUS)
def test_nvidia_gpu_exporter(name: str):
    power_w, instant_w, limit_w, percent = GPUS[name]
    found = values("nvidia-gpu-exporter", f"{NVIDIA}/{name}.metrics")
    for gpu in range(2 if name == "demo__seeded" else 1):
        assert found[f"gpu/{gpu}:power"] == power_w
        assert found[f"gpu/{gpu}/instant:power"] == instant_w
        assert found[f"gpu/{gpu}:power_limit"] == limit_w
        assert found.get(f"gpu/{gpu}:utilization") == (None if percent is None else pytest.approx(percent))


@pytest.mark.parametrize("name", [name for name in GPUS if "-mig__" in name])
def test_a_gpu_in_slices_has_one_power(name: str):
    found = values("nvidia-gpu-exporter", f"{NVIDIA}/{name}.metrics")
    assert [key for key in found if re.fullmatch(r"gpu/[^/]+:power", key)] == ["gpu/0:power"]


def test_a_gpu_is_identified_by_its_uuid():
    text = capture(f"{NVIDIA}/demo__seeded.metrics").read_text()
    found = {
        item.series.point: item.series.label for item in asyncio.run(read_exposition(find("nvidia-gpu-exporter"), text))
    }
    assert found["gpu/0"] == "1c67088e-9ecb-4564-bb97-6151ecc2ef64"
    assert found["gpu/1"] == "ef427e4f-1970-42f2-ab0c-ecf0e56a33b9"


@pytest.mark.parametrize("name", NODES)
def test_ceems_exporter(name: str):
    bmc_w, more = NODES[name]
    assert values("ceems-exporter", f"{CEEMS}/{name}.txt") == {"system:power": bmc_w, **RAPL, **more}


def test_an_exposition_of_links_has_nothing_for_us():
    assert values("redfish-exporter", "redfish/lambdalabs/golden/gb300_nvlink_happy.golden") == {}
