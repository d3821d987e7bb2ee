"""Explore the registers of a Modbus unit that no profile describes."""

from __future__ import annotations

from collectors.tools.registers.explore import RegisterExploration, explore_registers
from collectors.tools.registers.findings import RegisterFinding

__all__ = ["RegisterExploration", "RegisterFinding", "explore_registers"]
