"""What NVML can answer but a reading, as one tree.

NvmlError
├── LibraryMissing    no NVIDIA driver on this node (yet)                      look again later
├── WrongPackage      `pynvml` is not NVIDIA's, or not there: a person must act
├── DriverGone        the driver was unloaded, reloaded or upgraded under us    open again
├── GpuLost           one GPU fell off the bus or wants a reset                 the others go on
├── NotOffered        this GPU, driver or user does not get that value          not asked again for a while
└── Hiccup            anything else; the value is missing this time
"""

from __future__ import annotations

from collections.abc import Mapping

from collectors.errors import CollectorError


class NvmlError(CollectorError):
    """NVML gave no reading."""

    code = "nvml_error"


class LibraryMissing(NvmlError):
    """No NVIDIA driver is installed or loaded."""

    code = "nvml_missing"
    retryable = True


class WrongPackage(NvmlError):
    """The Python package is not NVIDIA's nvidia-ml-py."""

    code = "wrong_pynvml"


class DriverGone(NvmlError):
    """The driver is not the one that was opened any more."""

    code = "driver_gone"
    retryable = True


class GpuLost(NvmlError):
    """One GPU does not answer any more."""

    code = "gpu_lost"
    retryable = True


class NotOffered(NvmlError):
    """The value does not exist for this GPU, driver, mode or user."""

    code = "not_offered"


class Hiccup(NvmlError):
    """An error of this one call."""

    code = "nvml_failed"
    retryable = True


KINDS: Mapping[int, type[NvmlError]] = {
    1: DriverGone,  # uninitialized
    3: NotOffered,  # not supported
    4: NotOffered,  # no permission
    6: GpuLost,  # not found: no GPU of this UUID any more
    9: DriverGone,  # driver not loaded
    12: LibraryMissing,
    13: NotOffered,  # function not found: an older driver
    15: GpuLost,
    16: GpuLost,  # reset required
    18: DriverGone,  # library and driver differ: it was upgraded under us
    25: NotOffered,  # argument version mismatch
    26: NotOffered,  # deprecated
    28: GpuLost,  # GPU not found
}
"""NVML_ERROR_… of nvml.h by number; all others are hiccups."""
