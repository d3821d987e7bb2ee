"""Modbus requests to the units behind a gateway. pymodbus's errors are translated here.

All units behind one host and port, or at one serial port, share one connection and are polled in turn, first come
first served. Gateways do not wait for each other. While a gateway refuses connections, its units fail at once, for
1, 2, 4 … 30 s, instead of each waiting for the same timeout.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import ClassVar

from pymodbus.exceptions import ModbusException
from pymodbus.pdu import ExceptionResponse, ModbusPDU

from collectors.contract import Address
from collectors.errors import BadAnswer, Unreachable
from collectors.protocols.modbus.endpoint import Client, Endpoint

_REFUSALS: Mapping[int, tuple[str, str]] = {
    1: ("modbus_illegal_function", "does not know this function"),
    2: ("modbus_illegal_address", "has no such register"),
    3: ("modbus_illegal_value", "does not allow this many registers at once"),
    4: ("modbus_device_failure", "failed inside"),
    5: ("modbus_acknowledge", "needs more time"),
    6: ("modbus_busy", "is busy"),
    8: ("modbus_memory_parity", "has a fault in its memory"),
    10: ("modbus_no_gateway_path", "is behind a gateway that has no path to it"),
    11: ("modbus_gateway_target_silent", "is behind a gateway and does not answer it"),
}
_WAIT = frozenset({5, 6})
_UNIT_GONE = frozenset({10, 11})
_BUSY_PAUSES_S = (0.05, 0.2)
_LONGEST_PAUSE_S = 30.0
_FUNCTION = {"holding": 0x03, "input": 0x04}
_EXCEPTION = 0x80
_SILENCES = 3  # consecutive unanswered requests after which the connection is opened again


class Refused(BadAnswer):
    """The unit rejected these registers with an exception; others may work."""


class Busy(BadAnswer):
    """The unit is busy, which says nothing about its registers."""


class Gateway:
    """One connection, shared by the units behind it."""

    _open: ClassVar[dict[tuple[asyncio.AbstractEventLoop, Endpoint], Gateway]] = {}

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._lock = asyncio.Lock()
        self._client: Client | None = None
        self._users = 0
        self._silences = 0
        self._failures = 0
        self._rest_until_s = 0.0
        logging.getLogger("pymodbus.logging").setLevel(logging.CRITICAL)  # raised as errors here

    @classmethod
    def of(cls, address: Address) -> Gateway:
        """Return the gateway of an address and count one more user; call `leave` at the end."""
        endpoint = Endpoint(address.host, address.port, address.framing, address.line)
        key = (asyncio.get_running_loop(), endpoint)
        gateway = cls._open.setdefault(key, cls(endpoint))
        gateway._users += 1
        return gateway

    def leave(self) -> None:
        """Count one user less; the last one closes the connection."""
        self._users -= 1
        if not self._users:
            self._drop()
            self._open.pop((asyncio.get_running_loop(), self._endpoint), None)

    @asynccontextmanager
    async def turn(self, timeout_s: float) -> AsyncIterator[None]:
        """Hold the connection exclusively, opened again if it was lost.

        Raises
        ------
        Unreachable
        """
        async with self._lock:
            if self._client is None or not self._client.connected:
                await self._connect(timeout_s)
            yield

    async def ask(self, unit: int, table: str, start: int, count: int, timeout_s: float) -> ModbusPDU:
        """Return the response to one request, which may be an exception response.

        A late response to an earlier request is recognized by its transaction id and dropped. RTU has none, so there
        every timeout closes the connection.

        Raises
        ------
        TimeoutError, ModbusException, OSError
        """
        if self._client is None:
            raise OSError("the connection is closed")
        read = self._client.read_input_registers if table == "input" else self._client.read_holding_registers
        try:
            async with asyncio.timeout(timeout_s):
                answer = await read(start, count=count, device_id=unit)
        except BaseException:
            self._silences += 1
            if self._silences >= _SILENCES or self._endpoint.framing == "rtu":
                self._drop()
            raise
        self._silences = 0
        return answer

    def reset(self) -> None:
        """Close the connection: what it returns does not belong to the requests. The next turn opens it again."""
        self._drop()

    async def _connect(self, timeout_s: float) -> None:
        where = self._endpoint.where
        if (rest_s := self._rest_until_s - time.monotonic()) > 0:
            raise Unreachable(f"{where} takes no connection", f"next try in {rest_s:.0f} s", "no_connection")
        self._drop()
        client = self._endpoint.client()
        if not await _connects(client, timeout_s):
            client.close()
            self._failures += 1
            self._rest_until_s = time.monotonic() + min(2.0 ** (self._failures - 1), _LONGEST_PAUSE_S)
            raise Unreachable(f"{where} takes no connection", self._endpoint.hint, "no_connection")
        self._failures, self._client = 0, client

    def _drop(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client, self._silences = None, 0


class ModbusClient:
    """One unit behind a gateway."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        self._address = address
        self._timeout_s = timeout_s
        self._gateway: Gateway | None = None

    async def open(self) -> None:
        """Connect.

        Raises
        ------
        Unreachable
        """
        if self._gateway is None:
            self._gateway = Gateway.of(self._address)
        try:
            async with self.turn():
                pass
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Leave the connection, which its last user closes."""
        if self._gateway is not None:
            self._gateway.leave()
            self._gateway = None

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold the gateway exclusively for this unit; see `Gateway.turn`."""
        async with self._opened().turn(self._timeout_s):
            yield

    async def read(self, table: str, start: int, count: int) -> list[int]:
        """Read registers of a table [0..65535 each], within a turn; retry a busy unit twice.

        Raises
        ------
        Refused
            The unit rejects these registers; others may work.
        Unreachable, BadAnswer
        """
        where = f"{self._address.url} {table} registers {start} to {start + count - 1}"
        answer = await self._ask(where, table, start, count)
        for pause_s in _BUSY_PAUSES_S:
            if not (isinstance(answer, ExceptionResponse) and answer.exception_code in _WAIT):
                break
            await asyncio.sleep(pause_s)
            answer = await self._ask(where, table, start, count)
        if answer.function_code & ~_EXCEPTION != _FUNCTION[table]:
            self._opened().reset()
            raise BadAnswer(f"{where}: the answer is of function {answer.function_code}, not {_FUNCTION[table]}")
        if isinstance(answer, ExceptionResponse):
            raise _refusal(where, answer.exception_code)
        if answer.isError() or len(answer.registers) != count:
            raise BadAnswer(f"{where}: {len(answer.registers)} registers returned, not {count}")
        return list(answer.registers)

    async def _ask(self, where: str, table: str, start: int, count: int) -> ModbusPDU:
        try:
            return await self._opened().ask(self._address.unit, table, start, count, self._timeout_s)
        except (ModbusException, OSError, TimeoutError) as error:
            raise Unreachable(f"no answer from {where}", str(error)) from None

    def _opened(self) -> Gateway:
        if self._gateway is None:
            raise Unreachable(f"{self._address.url} is not open", code="not_open")
        return self._gateway


async def _connects(client: Client, timeout_s: float) -> bool:
    try:
        async with asyncio.timeout(timeout_s):
            return await client.connect()
    except (ModbusException, OSError, TimeoutError):
        return False


def _refusal(where: str, number: int) -> BadAnswer | Unreachable:
    """Return the error for an exception code: of the registers, the unit or the path to it."""
    code, text = _REFUSALS.get(number, ("modbus_exception", "refuses"))
    kind = Unreachable if number in _UNIT_GONE else Busy if number in _WAIT else Refused
    return kind(f"{where}: the unit {text}", f"exception code {number}", code)
