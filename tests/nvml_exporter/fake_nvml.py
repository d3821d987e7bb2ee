"""A scripted libnvidia-ml: no GPU, but NVIDIA's own nvidia-ml-py above it runs for real.

The functions have the names, arguments and return codes of nvml.h and write through the pointers they are given, so
that structs, field values, sizes and errors take the way they take on a node. What a real driver takes in time, and
what real sensors say, this cannot show.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pynvml

SUCCESS = 0
UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NO_PERMISSION, INSUFFICIENT_SIZE = 1, 2, 3, 4, 7
DRIVER_NOT_LOADED, TIMEOUT, GPU_IS_LOST, MISMATCH, UNKNOWN = 9, 10, 15, 18, 999
INSTANT, AVERAGE, ENERGY = 186, 185, 83
NO_INSTANCE = 0xFFFFFFFF


@dataclass
class Board:
    """One scripted GPU. `errors`: the return code of a function or field by name or number; `broken`: of all."""

    uuid: str
    name: str = "NVIDIA H100 80GB HBM3"
    architecture: int = 9
    fields: dict[int, int] = field(default_factory=lambda: {INSTANT: 447_350, AVERAGE: 433_780, ENERGY: 1_000_000})
    power_mw: int = 433_780
    limit_mw: int = 700_000
    limits_mw: tuple[int, int] = (200_000, 700_000)
    gpu_pct: int = 97
    memory_pct: int = 41
    temperature_c: int = 61
    clocks_mhz: dict[int, int] = field(default_factory=lambda: {1: 1980, 2: 2619})
    reasons: int = 0x4
    mig: int = 0
    processes: list[tuple[int, int]] = field(default_factory=list)
    errors: dict[str | int, int] = field(default_factory=dict)
    broken: int = SUCCESS


@dataclass
class Driver:
    """The library and the driver below it. `broken`: what every call answers, e.g. after the driver was unloaded."""

    boards: list[Board]
    version: str = "590.48.01"
    broken: int = SUCCESS
    missing: frozenset[str] = frozenset()
    users: int = 0
    calls: list[str] = field(default_factory=list)

    def reload(self) -> None:
        """As `rmmod nvidia; modprobe nvidia`: who was connected is not any more, counters begin at 0."""
        self.users, self.broken = 0, SUCCESS
        for board in self.boards:
            board.fields[ENERGY] = 0


def _board(driver: Driver, handle) -> Board:
    return driver.boards[ctypes.cast(handle, ctypes.c_void_p).value - 1]


def _put(ref, value) -> int:
    ref._obj.value = value
    return SUCCESS


def _point(ref, index: int) -> int:
    ctypes.cast(ctypes.byref(ref._obj), ctypes.POINTER(ctypes.c_void_p))[0] = index + 1
    return SUCCESS


def _by_uuid(driver: Driver, uuid: bytes, ref) -> int:
    for index, board in enumerate(driver.boards):
        if board.uuid.encode() == uuid:
            return board.broken or _point(ref, index)
    return 6


def _field_values(board: Board, n: int, rows) -> int:
    for row in rows[:n]:
        told = board.fields.get(row.fieldId)
        row.nvmlReturn = board.errors.get(row.fieldId, SUCCESS if told is not None else NOT_SUPPORTED)
        if not row.nvmlReturn and row.fieldId == ENERGY:
            row.valueType, row.value.ullVal = pynvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG, told
        elif not row.nvmlReturn:
            row.valueType, row.value.uiVal = pynvml.NVML_VALUE_TYPE_UNSIGNED_INT, told
    return SUCCESS


def _processes(board: Board, count, rows) -> int:
    asked, count._obj.value = count._obj.value, len(board.processes)
    if asked < len(board.processes):
        return INSUFFICIENT_SIZE
    for row, (pid, instance) in zip(rows or (), board.processes, strict=False):
        row.pid, row.gpuInstanceId, row.computeInstanceId = pid, instance, 0
    return SUCCESS


def _utilization(board: Board, ref) -> int:
    ref._obj.gpu, ref._obj.memory = board.gpu_pct, board.memory_pct
    return SUCCESS


def _temperature(board: Board, ref) -> int:
    ref._obj.temperature = board.temperature_c
    return SUCCESS


def _mig(board: Board, current, pending) -> int:
    return _put(current, board.mig) or _put(pending, board.mig)


def _constraints(board: Board, least, most) -> int:
    return _put(least, board.limits_mw[0]) or _put(most, board.limits_mw[1])


def _limit(board: Board, limit) -> int:
    if not board.limits_mw[0] <= limit.value <= board.limits_mw[1]:
        return INVALID_ARGUMENT
    board.limit_mw = limit.value
    return SUCCESS


def _energy(board: Board, ref) -> int:
    return _put(ref, board.fields[ENERGY]) if ENERGY in board.fields else NOT_SUPPORTED


def _text(buffer, text: str) -> int:
    buffer.value = text.encode()
    return SUCCESS


BOARD_FUNCTIONS: dict[str, Callable[..., int]] = {
    "nvmlDeviceGetUUID": lambda board, buffer, _: _text(buffer, board.uuid),
    "nvmlDeviceGetName": lambda board, buffer, _: _text(buffer, board.name),
    "nvmlDeviceGetArchitecture": lambda board, ref: _put(ref, board.architecture),
    "nvmlDeviceGetMigMode": _mig,
    "nvmlDeviceGetFieldValues": lambda board, n, ref: _field_values(board, n.value, ref._obj),
    "nvmlDeviceGetPowerUsage": lambda board, ref: _put(ref, board.power_mw),
    "nvmlDeviceGetTotalEnergyConsumption": _energy,
    "nvmlDeviceGetUtilizationRates": _utilization,
    "nvmlDeviceGetTemperatureV": _temperature,
    "nvmlDeviceGetTemperature": lambda board, _, ref: _put(ref, board.temperature_c),
    "nvmlDeviceGetClockInfo": lambda board, clock, ref: _put(ref, board.clocks_mhz[clock.value]),
    "nvmlDeviceGetCurrentClocksEventReasons": lambda board, ref: _put(ref, board.reasons),
    "nvmlDeviceGetCurrentClocksThrottleReasons": lambda board, ref: _put(ref, board.reasons),
    "nvmlDeviceGetEnforcedPowerLimit": lambda board, ref: _put(ref, board.limit_mw),
    "nvmlDeviceGetPowerManagementLimit": lambda board, ref: _put(ref, board.limit_mw),
    "nvmlDeviceGetPowerManagementLimitConstraints": _constraints,
    "nvmlDeviceSetPowerManagementLimit": _limit,
    "nvmlDeviceGetComputeRunningProcesses_v3": _processes,
    "nvmlDeviceGetMPSComputeRunningProcesses_v3": lambda board, count, rows: _put(count, 0),
}


def _init(driver: Driver, _) -> int:
    driver.users += 1
    return SUCCESS


def _shutdown(driver: Driver) -> int:
    driver.users -= 1
    return SUCCESS


DRIVER_FUNCTIONS: dict[str, Callable[..., int]] = {
    "nvmlInitWithFlags": _init,
    "nvmlShutdown": _shutdown,
    "nvmlSystemGetDriverVersion": lambda driver, buffer, _: _text(buffer, driver.version),
    "nvmlDeviceGetCount_v2": lambda driver, ref: _put(ref, len(driver.boards)),
    "nvmlDeviceGetHandleByIndex_v2": lambda driver, index, ref: _point(ref, index.value),
    "nvmlDeviceGetHandleByUUID": lambda driver, uuid, ref: _by_uuid(driver, uuid.value, ref),
}


class FakeLibrary:
    """What ctypes would give for libnvidia-ml.so.1: functions as attributes."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def __getattr__(self, name: str):
        if name in self._driver.missing:
            raise AttributeError(name)
        if name == "nvmlErrorString":
            return lambda code: b"error %d" % code
        if name in DRIVER_FUNCTIONS:
            return lambda *args: self._of_driver(name, args)
        if name in BOARD_FUNCTIONS:
            return lambda *args: self._of_board(name, args)
        raise AttributeError(name)

    def _of_driver(self, name: str, args) -> int:
        driver = self._driver
        driver.calls.append(name)
        if driver.broken:
            return driver.broken
        if not driver.users and name != "nvmlInitWithFlags":
            return UNINITIALIZED
        return DRIVER_FUNCTIONS[name](driver, *args)

    def _of_board(self, name: str, args) -> int:
        driver = self._driver
        driver.calls.append(name)
        if driver.broken or not driver.users:
            return driver.broken or UNINITIALIZED
        board = _board(driver, args[0])
        return board.broken or board.errors.get(name) or BOARD_FUNCTIONS[name](board, *args[1:])


@contextmanager
def installed(driver: Driver) -> Iterator[Driver]:
    """nvidia-ml-py on top of this driver."""
    before = pynvml.nvmlLib
    pynvml.nvmlLib = FakeLibrary(driver)
    pynvml._nvmlGetFunctionPointer_cache.clear()
    try:
        yield driver
    finally:
        pynvml.nvmlLib = before
        pynvml._nvmlGetFunctionPointer_cache.clear()
