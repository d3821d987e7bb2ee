"""Errors of NVML as one tree.

NvmlError
├── LibraryMissing    no NVIDIA driver on this node (yet)                       retried later
├── WrongPackage      `pynvml` is not NVIDIA's or not installed                 needs an administrator
├── DriverGone        the driver was unloaded, reloaded or upgraded meanwhile   opened again
├── GpuLost           one GPU fell off the bus or requires a reset              the others continue
├── NotOffered        the value is not available to this GPU, driver or user    not requested for a while
└── Hiccup            any other error; the value is missing this time
"""

from __future__ import annotations

from collections.abc import Mapping

from collectors.errors import CollectorError


class NvmlError(CollectorError):
    """Base class: NVML returned no value."""

    code = "nvml_error"


class LibraryMissing(NvmlError):
    """No NVIDIA driver is installed or loaded."""

    code = "nvml_missing"
    retryable = True


class WrongPackage(NvmlError):
    """The Python package is not NVIDIA's nvidia-ml-py."""

    code = "wrong_pynvml"


class DriverGone(NvmlError):
    """The driver is no longer the one that was opened."""

    code = "driver_gone"
    retryable = True


class GpuLost(NvmlError):
    """One GPU no longer responds."""

    code = "gpu_lost"
    retryable = True


class NotOffered(NvmlError):
    """The value is not available to this GPU, driver, mode or user."""

    code = "not_offered"


class Hiccup(NvmlError):
    """A temporary error of a single call."""

    code = "nvml_failed"
    retryable = True


KINDS: Mapping[int, type[NvmlError]] = {
    1: DriverGone,  # uninitialized
    3: NotOffered,  # not supported
    4: NotOffered,  # no permission
    6: GpuLost,  # not found: no GPU with this UUID
    9: DriverGone,  # driver not loaded
    12: LibraryMissing,
    13: NotOffered,  # function not found: an older driver
    15: GpuLost,
    16: GpuLost,  # reset required
    18: DriverGone,  # library and driver differ: the driver was upgraded
    25: NotOffered,  # argument version mismatch
    26: NotOffered,  # deprecated
    28: GpuLost,  # GPU not found
}
"""NVML_ERROR_… of nvml.h by number; any other is a Hiccup."""
