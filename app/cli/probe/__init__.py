"""`wattline probe`: identify a device and read it once, or explore an unknown one."""

from __future__ import annotations

from app.cli.probe import command

__all__ = ["command"]
