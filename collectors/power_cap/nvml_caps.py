"""Caps by NVML. The driver is kept open, so that a cap persists without persistence mode."""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Any

from collectors.power_cap.board import Board, CapDenied, CapFailed
from collectors.power_cap.nvidia_smi import HOW_TO_ALLOW

_NO_PERMISSION, _NOT_SUPPORTED = 4, 3


class NvmlCaps:
    """See `board.CapLibrary`. NVML uses mW."""

    def __init__(self, module: ModuleType) -> None:
        self._lib: Any = module
        self._call("nvmlInit")

    def boards(self) -> list[Board]:
        """Return the GPUs of this node that support power management."""
        found = [self._board(index) for index in range(int(self._call("nvmlDeviceGetCount")))]
        return [board for board in found if board is not None]

    def set(self, uuid: str, cap_w: float) -> None:
        """Cap one GPU. [W]"""
        handle = self._call("nvmlDeviceGetHandleByUUID", uuid)
        self._call("nvmlDeviceSetPowerManagementLimit", handle, round(cap_w * 1000))

    def close(self) -> None:
        """Release the driver."""
        with contextlib.suppress(CapFailed):
            self._call("nvmlShutdown")

    def _board(self, index: int) -> Board | None:
        handle = self._call("nvmlDeviceGetHandleByIndex", index)
        try:
            cap_mw = self._lib.nvmlDeviceGetPowerManagementLimit(handle)
            least_mw, most_mw = self._lib.nvmlDeviceGetPowerManagementLimitConstraints(handle)
        except self._lib.NVMLError as error:
            if error.value == _NOT_SUPPORTED:
                return None
            raise self._error("nvmlDeviceGetPowerManagementLimit", error) from None
        uuid, name = str(self._call("nvmlDeviceGetUUID", handle)), str(self._call("nvmlDeviceGetName", handle))
        return Board(index, uuid, name, cap_mw / 1000, least_mw / 1000, most_mw / 1000)

    def _call(self, name: str, *args: object) -> Any:  # noqa: ANN401 -- an opaque pointer, or a number
        try:
            return getattr(self._lib, name)(*args)
        except self._lib.NVMLError as error:
            raise self._error(name, error) from None

    def _error(self, name: str, error: Any) -> CapDenied | CapFailed:  # noqa: ANN401 -- NVMLError
        if error.value == _NO_PERMISSION:
            return CapDenied(f"{name}: {error}", HOW_TO_ALLOW)
        return CapFailed(f"{name}: {error}", "--simulated sweeps the simulated node instead")
