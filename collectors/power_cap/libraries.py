"""Choose the library that sets the caps."""

from __future__ import annotations

from collections.abc import Sequence

from collectors.nvml_exporter.sensors import load_pynvml
from collectors.power_cap.board import CapLibrary
from collectors.power_cap.nvidia_smi import NvidiaSmi
from collectors.power_cap.nvml_caps import NvmlCaps


def open_library(through: Sequence[str]) -> CapLibrary:
    """Return a library for the nvidia-smi command `through`, or NVML if it is empty.

    Raises
    ------
    WrongPackage, CapFailed
        nvidia-ml-py is not installed, or the driver does not respond.
    """
    return NvidiaSmi(through) if through else NvmlCaps(load_pynvml())
