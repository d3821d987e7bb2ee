"""Modbus meters over TCP, RTU over TCP and serial lines."""

from __future__ import annotations

from collectors.protocols.modbus.client import Busy, ModbusClient, Refused
from collectors.protocols.modbus.driver import ModbusDriver
from collectors.protocols.modbus.sunspec import locate

__all__ = ["Busy", "ModbusClient", "ModbusDriver", "Refused", "locate"]
