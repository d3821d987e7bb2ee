"""NVML through nvidia-ml-py: the only module that handles `pynvml` and its errors.

Power and energy are read in one call (field values), the other values in one call each. Values that a GPU does not
offer are not requested again for a while. Units of NVML: mW, mJ, %, °C, MHz.
"""

from __future__ import annotations

import contextlib
import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeVar

from collectors.nvml_exporter.sensors import errors
from collectors.nvml_exporter.sensors.gpu import NAN, Gpu, GpuReading, Opened, Process, SensorClass
from collectors.nvml_exporter.sensors.power_sensor import plain_class, sensor

_T = TypeVar("_T")
_INSTALL = "pip install 'wattline[nvml]'"
_NO_INSTANCE = 0xFFFFFFFF
_ASK_AGAIN_AFTER = 240
_MILLI = 0.001
_SAME = {"memory_utilization": "utilization"}
_TEMPERATURE = ("nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature")
_REASONS = ("nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons")
_PROCESSES = ("nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetMPSComputeRunningProcesses_v3")

_HINTS = {18: "restart the exporter: it holds the library of the old driver"}


def load_pynvml() -> ModuleType:
    """Return NVIDIA's bindings.

    Raises
    ------
    WrongPackage
        They are not installed, or the `pynvml` of another distribution shadows them.
    """
    try:
        module = importlib.import_module("pynvml")
    except ImportError:
        raise errors.WrongPackage("GPUs require NVIDIA's nvidia-ml-py, which is not installed", _INSTALL) from None
    if hasattr(module, "__path__"):  # NVIDIA's is a single module, the other one a package
        detail = "the unofficial package `pynvml` hides NVIDIA's nvidia-ml-py"
        raise errors.WrongPackage(detail, f"pip uninstall pynvml, then {_INSTALL} again")
    return module


class Nvml:
    """See `gpu.GpuLibrary`."""

    def __init__(self, module: ModuleType) -> None:
        self._lib: Any = module
        lib = self._lib
        self._fields = (
            ("power_instant", lib.NVML_FI_DEV_POWER_INSTANT),
            ("power_average", lib.NVML_FI_DEV_POWER_AVERAGE),
            ("energy", lib.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION),
        )
        self._mismatch: type[Exception] = getattr(lib, "NVMLLibraryMismatchError", lib.NVMLError)
        self._handles: dict[str, Any] = {}
        self._plain: dict[str, SensorClass] = {}
        self._absent: set[tuple[str, str]] = set()
        self._reads = 0
        self._failures: Counter[str] = Counter()

    def open(self) -> Opened:
        """Connect and list the GPUs."""
        self._call("nvmlInit")
        self._absent.clear()
        self._handles.clear()
        gpus: list[Gpu] = []
        unreadable: list[str] = []
        for index in range(int(self._call("nvmlDeviceGetCount"))):
            try:
                gpus.append(self._describe(index))
            except errors.GpuLost as error:
                unreadable.append(f"GPU {index}: {error.detail}")
        return Opened(str(self._call("nvmlSystemGetDriverVersion")), tuple(gpus), tuple(unreadable))

    def close(self) -> None:
        """Release the driver."""
        self._handles.clear()
        with contextlib.suppress(errors.NvmlError):
            self._call("nvmlShutdown")

    def failures(self) -> Mapping[str, int]:
        """Return the number of errors by code."""
        return dict(self._failures)

    def read(self, gpu: Gpu) -> GpuReading:
        """Read one GPU."""
        self._reads += 1
        if self._reads % _ASK_AGAIN_AFTER == 0:
            self._absent.clear()
        return self._with_handle(gpu, lambda handle: self._reading(gpu.uuid, handle))

    def processes(self, gpu: Gpu) -> Sequence[Process]:
        """Return the compute processes of a GPU without duplicates."""
        return self._with_handle(gpu, lambda handle: self._processes(gpu.uuid, handle))

    def _with_handle(self, gpu: Gpu, ask: Callable[[Any], _T]) -> _T:
        """Call `ask` with the handle of a GPU; after a failure the handle is fetched again by UUID next time."""
        handle = self._handles.get(gpu.uuid)
        if handle is None:
            handle = self._handles[gpu.uuid] = self._call("nvmlDeviceGetHandleByUUID", gpu.uuid)
        try:
            return ask(handle)
        except errors.GpuLost:
            del self._handles[gpu.uuid]
            raise

    def _describe(self, index: int) -> Gpu:
        handle = self._call("nvmlDeviceGetHandleByIndex", index)
        uuid, name = str(self._call("nvmlDeviceGetUUID", handle)), str(self._call("nvmlDeviceGetName", handle))
        self._handles[uuid] = handle
        mig = self._ask(uuid, "mig", "nvmlDeviceGetMigMode", handle)
        architecture = int(self._ask(uuid, "architecture", "nvmlDeviceGetArchitecture", handle) or 0)
        self._plain[uuid] = plain_class(name, architecture)
        self._reading(uuid, handle)  # finds out what it does not offer
        offered = frozenset(value for value in GpuReading._fields if self._offers(uuid, value))
        kinds = {f"power_{kind}": sensor(kind, name) for kind in SensorClass}
        sensors = {value: how for value, how in kinds.items() if value in offered}
        return Gpu(index, uuid, name, bool(mig and mig[0]), offered, sensors)

    def _offers(self, uuid: str, value: str) -> bool:
        if (uuid, f"field {value}") not in self._absent and value in dict(self._fields):
            return True
        if value in ("power_instant", "power_average"):
            return value == f"power_{self._plain[uuid]}" and (uuid, "power") not in self._absent
        return (uuid, _SAME.get(value, value)) not in self._absent

    def _only_plain(self, uuid: str) -> bool:
        """Return whether both power fields are missing, as with older drivers."""
        return {(uuid, "field power_instant"), (uuid, "field power_average")} <= self._absent

    def _reading(self, uuid: str, handle: Any) -> GpuReading:  # noqa: ANN401 -- an opaque pointer
        lib = self._lib
        power_and_energy = self._field_values(uuid, handle)
        rates = self._ask(uuid, "utilization", "nvmlDeviceGetUtilizationRates", handle)
        clock = "nvmlDeviceGetClockInfo"
        return GpuReading(
            *power_and_energy,
            NAN if rates is None else float(rates.gpu),
            NAN if rates is None else float(rates.memory),
            self._number(uuid, "temperature", _TEMPERATURE, handle, lib.NVML_TEMPERATURE_GPU),
            self._number(uuid, "sm_clock", (clock,), handle, lib.NVML_CLOCK_SM),
            self._number(uuid, "memory_clock", (clock,), handle, lib.NVML_CLOCK_MEM),
            self._number(uuid, "throttle_reasons", _REASONS, handle),
            self._number(uuid, "power_limit", ("nvmlDeviceGetEnforcedPowerLimit",), handle) * _MILLI,
        )

    def _field_values(self, uuid: str, handle: Any) -> tuple[float, float, float]:  # noqa: ANN401
        """Return instant power, average power [W] and energy [J]; older drivers have functions instead of fields."""
        found: dict[str, float] = {}
        fields = [(value, id_) for value, id_ in self._fields if (uuid, f"field {value}") not in self._absent]
        if fields:
            rows = self._ask(uuid, "fields", "nvmlDeviceGetFieldValues", handle, [id_ for _, id_ in fields])
            for (value, _), row in zip(fields, rows or (), strict=False):
                if row.nvmlReturn:
                    self._missed(uuid, f"field {value}", self._error(row.nvmlReturn, value))
                else:
                    found[value] = self._field_number(row)
            if (uuid, "fields") in self._absent:
                self._absent |= {(uuid, f"field {value}") for value, _ in self._fields}
        if self._only_plain(uuid):
            found[f"power_{self._plain[uuid]}"] = self._number(uuid, "power", ("nvmlDeviceGetPowerUsage",), handle)
        if (uuid, "field energy") in self._absent:
            found["energy"] = self._number(uuid, "energy", ("nvmlDeviceGetTotalEnergyConsumption",), handle)
        instant, average, energy = (found.get(value, NAN) * _MILLI for value, _ in self._fields)
        return instant, average, energy

    def _field_number(self, row: Any) -> float:  # noqa: ANN401 -- nvmlFieldValue_t
        lib, value = self._lib, row.value
        wide = {
            lib.NVML_VALUE_TYPE_DOUBLE: value.dVal,
            lib.NVML_VALUE_TYPE_UNSIGNED_LONG: value.ulVal,
            lib.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: value.ullVal,
            lib.NVML_VALUE_TYPE_SIGNED_LONG_LONG: value.sllVal,
        }
        return float(wide.get(row.valueType, value.uiVal))

    def _processes(self, uuid: str, handle: Any) -> Sequence[Process]:  # noqa: ANN401
        found: dict[Process, None] = {}
        for name in _PROCESSES:
            for process in self._ask(uuid, name, name, handle) or ():
                instance = int(getattr(process, "gpuInstanceId", _NO_INSTANCE))
                found[Process(int(process.pid), None if instance == _NO_INSTANCE else instance)] = None
        return tuple(found)

    def _number(self, uuid: str, value: str, names: Sequence[str], *args: object) -> float:
        """Return the result of the first available function; the later ones are for older drivers."""
        for name in names:
            key = value if name == names[-1] else name
            result = self._ask(uuid, key, name, *args)
            if (uuid, key) not in self._absent:
                return NAN if result is None else float(result)
        return NAN

    def _ask(self, uuid: str, value: str, name: str, *args: object) -> Any:  # noqa: ANN401
        """Return a result, or None if it is not offered or failed this time."""
        if (uuid, value) in self._absent:
            return None
        try:
            return self._call(name, *args)
        except (errors.NotOffered, errors.Hiccup) as error:
            self._missed(uuid, value, error)
            return None

    def _missed(self, uuid: str, value: str, error: errors.NvmlError) -> None:
        if isinstance(error, errors.NotOffered):
            self._absent.add((uuid, value))
        elif isinstance(error, errors.Hiccup):
            self._failures[error.code] += 1
        else:
            raise error

    def _call(self, name: str, *args: object) -> Any:  # noqa: ANN401
        function = getattr(self._lib, name, None)
        if function is None:
            raise errors.NotOffered(f"nvidia-ml-py has no {name}")
        try:
            return function(*args)
        except self._lib.NVMLError as error:
            raise self._error(int(error.value), name) from None
        except self._mismatch:
            raise errors.NotOffered(f"this driver has no {name}") from None

    def _error(self, number: int, what: str) -> errors.NvmlError:
        kind = errors.KINDS.get(number, errors.Hiccup)
        code = f"nvml_{number}" if kind is errors.Hiccup else None
        return kind(f"{what}: {self._lib.NVMLError(number)}", _HINTS.get(number, ""), code)
