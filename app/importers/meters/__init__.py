"""Meter logs of other tools."""

from __future__ import annotations

from app.importers.meters import nvidia_smi
from app.importers.meters.detect import FORMATS, read_log

__all__ = ["FORMATS", "nvidia_smi", "read_log"]
