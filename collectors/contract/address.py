"""Addresses of devices, as the facility file writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qs, urlsplit

from collectors.errors import ConfigError

Framing = Literal["tcp", "rtu"]
"""Framing of Modbus in a TCP stream: with the header of Modbus TCP, or as on a serial line."""

PORTS = {"snmp": 161, "modbus": 502, "http": 80, "https": 443, "redfish": 443, "ipmi": 623, "scpi": 5025, "vxi11": 111}
"""Scheme → default port; 5025 is registered for SCPI, 111 is the port mapper."""
SERIAL = "modbus+serial"
_ROOTS = frozenset({"", "/", "/redfish/v1", "/redfish/v1/"})
_FORM = (
    "write it like snmp://10.0.0.7, modbus://10.0.0.8:502?unit=1, modbus+serial:///dev/ttyUSB0?baudrate=19200&unit=1, "
    "http://10.0.0.9:9400/metrics, redfish://10.0.0.10, ipmi://10.0.0.10, scpi://10.0.0.11:5025 or vxi11://10.0.0.11"
)


@dataclass(frozen=True)
class SerialLine:
    """A serial port: its device file and settings."""

    path: str
    baudrate: int = 9600
    parity: str = "N"
    stopbits: int = 1


@dataclass(frozen=True)
class Address:
    """The address of a device: `snmp://host[:161]`, `modbus://host[:502]?unit=1[&framing=rtu]`,
    `modbus+serial:///dev/tty?unit=1[&baudrate=9600&parity=N&stopbits=1]`, `http(s)://host[:port]/path`,
    `redfish://host[:443][?chassis=ID]` (also `http(s)://host` without a path), `ipmi://host[:623]`,
    `scpi://host[:5025]`, `vxi11://host[:111]`."""

    url: str
    scheme: str
    host: str
    port: int
    unit: int = 1
    framing: Framing = "tcp"
    chassis: str = ""
    line: SerialLine | None = None

    @staticmethod
    def parse(url: str) -> Address:
        """Parse an address.

        Raises
        ------
        ConfigError
            It is not an address of a supported protocol.
        """
        wrong = ConfigError(f"{url!r} is not an address", _FORM, "bad_address")
        try:
            parts = urlsplit(url)
            port = parts.port
            options = {name: values[0] for name, values in parse_qs(parts.query).items()}
            modbus = parts.scheme in ("modbus", SERIAL)
            unit = int(options.get("unit", "1")) if modbus else 1
            line = _line(parts, options) if parts.scheme == SERIAL else None
        except ValueError:
            raise wrong from None
        if not 0 <= unit <= 255:
            raise wrong
        if line is not None:
            return Address(url, parts.scheme, line.path, 0, unit, "rtu", line=line)
        if parts.scheme not in PORTS or not parts.hostname:
            raise wrong
        framing = options.get("framing", "tcp") if modbus else "tcp"
        if framing not in ("tcp", "rtu"):
            raise ConfigError(f"{url!r} has an unknown framing {framing!r}", "framing is tcp or rtu", "bad_address")
        rtu: Framing = "rtu" if framing == "rtu" else "tcp"
        chassis = options.get("chassis", "") if _is_service(parts) else ""
        return Address(url, parts.scheme, parts.hostname, port or PORTS[parts.scheme], unit, rtu, chassis)

    @property
    def is_service(self) -> bool:
        """Whether it may be the root of a Redfish service."""
        return _is_service(urlsplit(self.url))

    @property
    def web_root(self) -> str:
        """Root of the web server: `https://host:port/`."""
        parts = urlsplit(self.url)
        return f"{'https' if parts.scheme == 'redfish' else parts.scheme}://{parts.netloc}/"


def _is_service(parts: SplitResult) -> bool:
    return parts.scheme == "redfish" or (parts.scheme in ("http", "https") and parts.path in _ROOTS)


def _line(parts: SplitResult, options: Mapping[str, str]) -> SerialLine:
    """Parse a serial port; raise ValueError if it is invalid."""
    line = SerialLine(
        parts.path,
        int(options.get("baudrate", SerialLine.baudrate)),
        options.get("parity", SerialLine.parity).upper(),
        int(options.get("stopbits", SerialLine.stopbits)),
    )
    if parts.netloc or not line.path.startswith("/") or line.path == "/":
        raise ValueError(parts.path)
    if line.baudrate <= 0 or line.parity not in ("N", "E", "O") or line.stopbits not in (1, 2):
        raise ValueError(parts.query)
    return line
