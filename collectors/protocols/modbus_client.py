"""Modbus TCP requests to one unit. The only module that sees pymodbus: its errors, returned or raised, end here."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from pymodbus.client import AsyncModbusTcpClient
from pymodbus.exceptions import ModbusException
from pymodbus.pdu import ExceptionResponse

from collectors.device import Address
from collectors.errors import BadAnswer, Unreachable

_REFUSALS: Mapping[int, tuple[str, str]] = {
    1: ("modbus_illegal_function", "does not know this function"),
    2: ("modbus_illegal_address", "has no such register"),
    3: ("modbus_illegal_value", "does not allow this many registers at once"),
    4: ("modbus_device_failure", "failed inside"),
    5: ("modbus_acknowledge", "needs more time"),
    6: ("modbus_busy", "is busy"),
    10: ("modbus_no_gateway_path", "is behind a gateway that has no path to it"),
    11: ("modbus_gateway_target_silent", "is behind a gateway and does not answer it"),
}


class Refused(BadAnswer):
    """The unit answered with an exception."""


class ModbusClient:
    """One unit behind one TCP connection."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._client: AsyncModbusTcpClient | None = None
        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)  # what it says there we raise

    async def open(self) -> None:
        """Connect.

        Raises
        ------
        Unreachable
        """
        host, port = self._address.host, self._address.port
        self._client = AsyncModbusTcpClient(host, port=port, timeout=self._timeout_s, retries=0, reconnect_delay=0)
        try:
            connected = await self._client.connect()
        except (ModbusException, OSError) as error:
            raise Unreachable(f"{self._address.url}: {error}", code="no_connection") from None
        if not connected:
            raise Unreachable(f"{self._address.url} takes no connection", "check host and port", "no_connection")

    async def close(self) -> None:
        """Disconnect."""
        if self._client is not None:
            self._client.close()
            self._client = None

    async def read(self, table: str, start: int, count: int) -> list[int]:
        """Registers of a table [0..65535 each].

        Raises
        ------
        Refused
            The unit does not give these registers; others may be fine.
        Unreachable, BadAnswer
        """
        if self._client is None:
            raise Unreachable(f"{self._address.url} is not open", code="not_open")
        read = self._client.read_input_registers if table == "input" else self._client.read_holding_registers
        where = f"{self._address.url} {table} registers {start} to {start + count - 1}"
        try:
            answer = await read(start, count=count, device_id=self._address.unit)
        except (ModbusException, OSError, TimeoutError) as error:
            raise Unreachable(f"no answer from {where}", str(error)) from None
        if isinstance(answer, ExceptionResponse):
            code, text = _REFUSALS.get(answer.exception_code, ("modbus_exception", "refuses"))
            raise Refused(f"{where}: the unit {text}", f"exception code {answer.exception_code}", code)
        if answer.isError() or len(answer.registers) != count:
            raise BadAnswer(f"{where}: {len(answer.registers)} registers came back, not {count}")
        return list(answer.registers)
