"""Readings through NVIDIA's own bindings on top of a scripted library; the numbers are those of H100 captures."""

import math
import sys
import types

import pytest

from collectors.nvml_exporter.sensors.errors import DriverGone, GpuLost, LibraryMissing, WrongPackage
from collectors.nvml_exporter.sensors.gpu import Process, Sensor, SensorClass
from collectors.nvml_exporter.sensors.nvml import Nvml, load_pynvml
from tests.nvml_exporter.fake_nvml import (
    AVERAGE,
    DRIVER_NOT_LOADED,
    ENERGY,
    GPU_IS_LOST,
    INSTANT,
    MISMATCH,
    NO_INSTANCE,
    NO_PERMISSION,
    NOT_SUPPORTED,
    TIMEOUT,
    UNKNOWN,
    Board,
    Driver,
    installed,
)

H100 = Sensor(SensorClass.INSTANT, 25, 100), Sensor(SensorClass.AVERAGE, 1000)


@pytest.fixture
def on():
    """Put boards into the node; returns driver, library and what was found."""
    with installed(Driver([])) as driver:

        def put(*boards: Board):
            driver.boards = list(boards)
            library = Nvml(load_pynvml())
            return driver, library, library.open()

        yield put


def test_all_that_an_h100_says(on):
    _, library, found = on(Board("GPU-1", name="NVIDIA H100 80GB HBM3"))
    (gpu,) = found.gpus
    assert (found.driver, gpu.index, gpu.uuid, gpu.name, gpu.mig) == (
        "590.48.01", 0, "GPU-1", "NVIDIA H100 80GB HBM3", False,
    )  # fmt: skip
    assert (gpu.sensors["power_instant"], gpu.sensors["power_average"]) == H100
    assert library.read(gpu) == pytest.approx((447.35, 433.78, 1000.0, 97, 41, 61, 1980, 2619, 4, 700.0))


def test_power_and_energy_are_one_call(on):
    driver, library, found = on(Board("GPU-1"))
    driver.calls.clear()
    library.read(found.gpus[0])
    assert driver.calls.count("nvmlDeviceGetFieldValues") == 1
    assert not {"nvmlDeviceGetPowerUsage", "nvmlDeviceGetTotalEnergyConsumption"} & set(driver.calls)


@pytest.mark.parametrize(
    ("name", "architecture", "kind", "window_ms"),
    [
        ("Tesla V100-SXM2-16GB", 5, SensorClass.INSTANT, None),
        ("NVIDIA A100-SXM4-40GB", 7, SensorClass.INSTANT, 25),
        ("NVIDIA A10G", 7, SensorClass.AVERAGE, 1000),
        ("NVIDIA L40S", 8, SensorClass.AVERAGE, 1000),
        ("NVIDIA H100 PCIe", 9, SensorClass.AVERAGE, 1000),
    ],
)
def test_an_old_driver_has_one_power_whose_class_the_board_decides(on, name, architecture, kind, window_ms):
    board = Board("GPU-1", name, architecture, fields={ENERGY: 5_000}, power_mw=250_125)
    _, library, found = on(board)
    (gpu,) = found.gpus
    assert gpu.sensors == {f"power_{kind}": Sensor(kind, window_ms, gpu.sensors[f"power_{kind}"].update_ms)}
    reading = library.read(gpu)
    assert getattr(reading, f"power_{kind}") == pytest.approx(250.125)
    other = {"instant": "power_average", "average": "power_instant"}[kind]
    assert math.isnan(getattr(reading, other))
    assert other not in gpu.offered


def test_a_driver_without_field_values_and_new_functions(on):
    driver, _, _ = on()
    driver.missing = frozenset(
        {"nvmlDeviceGetFieldValues", "nvmlDeviceGetTemperatureV", "nvmlDeviceGetCurrentClocksEventReasons"}
    )
    _, library, found = on(Board("GPU-1", "Tesla V100", 5, temperature_c=55, reasons=0x1))
    reading = library.read(found.gpus[0])
    assert (reading.power_instant, reading.energy) == pytest.approx((433.78, 1000.0))
    assert (reading.temperature, reading.throttle_reasons) == (55.0, 1.0)


def test_what_is_not_supported_is_missing_not_offered_and_not_asked_again(on):
    board = Board("GPU-1", errors={"nvmlDeviceGetEnforcedPowerLimit": NOT_SUPPORTED, ENERGY: NOT_SUPPORTED})
    board.errors["nvmlDeviceGetTotalEnergyConsumption"] = NOT_SUPPORTED
    driver, library, found = on(board)
    (gpu,) = found.gpus
    assert not {"power_limit", "energy"} & gpu.offered
    driver.calls.clear()
    reading = library.read(gpu)
    assert math.isnan(reading.power_limit)
    assert math.isnan(reading.energy)
    assert reading.power_instant == pytest.approx(447.35)
    assert "nvmlDeviceGetEnforcedPowerLimit" not in driver.calls
    assert library.failures() == {}


def test_it_is_asked_again_after_a_while(on):
    board = Board("GPU-1", errors={"nvmlDeviceGetEnforcedPowerLimit": NOT_SUPPORTED})
    _, library, found = on(board)
    board.errors.clear()
    readings = [library.read(found.gpus[0]).power_limit for _ in range(240)]
    assert math.isnan(readings[0])
    assert readings[-1] == 700.0


def test_mig_the_board_has_power_and_no_utilization(on):
    board = Board("GPU-1", mig=1, errors={"nvmlDeviceGetUtilizationRates": NOT_SUPPORTED})
    board.processes = [(4711, 3), (4712, 5), (4713, NO_INSTANCE)]
    _, library, found = on(board)
    (gpu,) = found.gpus
    assert gpu.mig
    assert not {"utilization", "memory_utilization"} & gpu.offered
    assert library.read(gpu).power_average == pytest.approx(433.78)
    assert library.processes(gpu) == (Process(4711, 3), Process(4712, 5), Process(4713))


def test_processes_that_may_not_be_seen_are_none(on):
    board = Board("GPU-1", errors={"nvmlDeviceGetComputeRunningProcesses_v3": NO_PERMISSION}, processes=[(1, 2)])
    _, library, found = on(board)
    assert library.processes(found.gpus[0]) == ()


@pytest.mark.parametrize("code", [TIMEOUT, UNKNOWN])
def test_a_hiccup_leaves_one_value_missing_and_is_counted(on, code):
    board = Board("GPU-1")
    _, library, found = on(board)
    board.errors = {INSTANT: code}
    reading = library.read(found.gpus[0])
    assert math.isnan(reading.power_instant)
    assert reading.power_average == pytest.approx(433.78)
    assert library.failures() == {f"nvml_{code}": 1}
    board.errors = {}
    assert library.read(found.gpus[0]).power_instant == pytest.approx(447.35)


def test_a_lost_gpu_is_found_again_by_its_uuid_at_another_index(on):
    first, second = Board("GPU-1"), Board("GPU-2", fields={INSTANT: 90_000, AVERAGE: 80_000, ENERGY: 0})
    driver, library, found = on(first, second)
    second.broken = GPU_IS_LOST
    with pytest.raises(GpuLost, match="GPU is lost"):
        library.read(found.gpus[1])
    assert library.read(found.gpus[0]).power_instant == pytest.approx(447.35)
    second.broken = 0
    driver.boards.reverse()
    assert library.read(found.gpus[1]).power_instant == pytest.approx(90.0)


def test_a_lost_gpu_in_a_field_value(on):
    board = Board("GPU-1")
    _, library, found = on(board)
    board.errors = {AVERAGE: GPU_IS_LOST}
    with pytest.raises(GpuLost):
        library.read(found.gpus[0])


def test_a_gpu_that_is_lost_from_the_start_does_not_hide_the_others(on):
    _, _, found = on(Board("GPU-1", broken=GPU_IS_LOST), Board("GPU-2"))
    assert [gpu.uuid for gpu in found.gpus] == ["GPU-2"]
    assert found.gpus[0].index == 1
    assert found.unreadable == ("GPU 0: nvmlDeviceGetUUID: GPU is lost",)


@pytest.mark.parametrize(("code", "hint"), [(DRIVER_NOT_LOADED, ""), (MISMATCH, "restart the exporter")])
def test_a_driver_that_goes(on, code, hint):
    driver, library, found = on(Board("GPU-1"))
    driver.broken = code
    with pytest.raises(DriverGone) as told:
        library.read(found.gpus[0])
    assert told.value.hint.startswith(hint)
    library.close()


def test_a_reloaded_driver_answers_uninitialized_until_it_is_opened_again(on):
    driver, library, found = on(Board("GPU-1"))
    driver.reload()
    with pytest.raises(DriverGone, match="Uninitialized"):
        library.read(found.gpus[0])
    library.close()
    assert library.open().gpus[0].uuid == "GPU-1"


def test_a_node_without_the_library(monkeypatch):
    def no_such_file(name: str):
        raise OSError(f"{name}: cannot open shared object file")

    module = load_pynvml()
    monkeypatch.setattr(module, "nvmlLib", None)
    monkeypatch.setattr(module, "CDLL", no_such_file)
    with pytest.raises(LibraryMissing):
        Nvml(module).open()


def test_the_unofficial_package_is_named(monkeypatch):
    other = types.ModuleType("pynvml")
    other.__path__ = ["/somewhere/pynvml"]
    monkeypatch.setitem(sys.modules, "pynvml", other)
    with pytest.raises(WrongPackage, match="unofficial package `pynvml`") as told:
        load_pynvml()
    assert told.value.hint.startswith("pip uninstall pynvml")


def test_nothing_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(WrongPackage, match="not installed"):
        load_pynvml()
