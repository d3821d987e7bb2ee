"""Target of a Modbus connection: a gateway in the network, or a serial port of this machine."""

from __future__ import annotations

from typing import Any, NamedTuple

from pymodbus import FramerType
from pymodbus.client import AsyncModbusSerialClient, AsyncModbusTcpClient
from pymodbus.exceptions import ModbusIOException

from collectors.contract import Framing, SerialLine
from collectors.errors import ConfigError

Client = AsyncModbusTcpClient | AsyncModbusSerialClient
_MOST_BYTES = 8_192  # for one request, of whose answers the longest has 260
_LONGEST_ANSWER_S = 60.0  # each unit has its own, shorter timeout


class Endpoint(NamedTuple):
    """A host and port, or a serial port."""

    host: str
    port: int
    framing: Framing
    line: SerialLine | None = None

    @property
    def where(self) -> str:
        """Host and port, or device file, for messages."""
        return self.host if self.line else f"{self.host}:{self.port}"

    @property
    def hint(self) -> str:
        """Suggested fix when it refuses the connection."""
        return "does it exist, and may the collector's user open it?" if self.line else "check host and port"

    def client(self) -> Client:
        """Return a client, not connected yet.

        Raises
        ------
        ConfigError
            It is a serial port, and pyserial is not installed.
        """
        if self.line is not None:
            return guarded(_serial(self.line))
        client = AsyncModbusTcpClient(
            self.host,
            port=self.port,
            framer=FramerType.RTU if self.framing == "rtu" else FramerType.SOCKET,
            timeout=_LONGEST_ANSWER_S,
            retries=0,
            reconnect_delay=0,
        )
        return guarded(client)


def guarded(client: Client) -> Client:
    """Let octets that pymodbus cannot decode, or far more than an answer has, end the request and the connection.

    pymodbus raises such an error into the event loop, which logs a traceback for each, and reads on without end.
    """
    context: Any = client.ctx
    decode, send = context.data_received, context.pdu_send
    received = 0

    def sent(*arguments: object, **options: object) -> None:
        nonlocal received
        received = 0
        send(*arguments, **options)

    def read(data: bytes) -> None:
        nonlocal received
        received += len(data)
        try:
            if received > _MOST_BYTES:
                raise ModbusIOException(f"more than {_MOST_BYTES} bytes for one request")
            decode(data)
        except Exception as error:
            waiting = context.response_future
            client.close()
            if received and not waiting.done():
                waiting.set_exception(ModbusIOException(f"its answer cannot be decoded: {error!r}"))

    context.pdu_send, context.data_received = sent, read
    return client


def _serial(line: SerialLine) -> AsyncModbusSerialClient:
    try:
        return AsyncModbusSerialClient(
            line.path,
            framer=FramerType.RTU,
            baudrate=line.baudrate,
            parity=line.parity,
            stopbits=line.stopbits,
            timeout=_LONGEST_ANSWER_S,
            retries=0,
            reconnect_delay=0,
        )
    except RuntimeError:
        suggested_fix = "install wattline[serial] where the collector runs"
        raise ConfigError(f"{line.path}: pyserial is not installed", suggested_fix, "no_pyserial") from None
