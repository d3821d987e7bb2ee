"""Addresses of devices, as the facility file writes them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, parse_qs, urlsplit

from collectors.errors import ConfigError

Framing = Literal["tcp", "rtu"]
"""Framing of Modbus in a TCP stream: with the header of Modbus TCP, or as on a serial line."""

PORTS = {"snmp": 161, "modbus": 502, "http": 80, "https": 443, "redfish": 443, "ipmi": 623, "scpi": 5025, "vxi11": 111}
"""Scheme → default port; 5025 is registered for SCPI, 111 is the port mapper."""
SERIAL = "modbus+serial"
SCHEMES = ("snmp", "modbus", SERIAL, "http", "https", "redfish", "ipmi", "scpi", "vxi11")
_ROOTS = frozenset({"", "/", "/redfish/v1", "/redfish/v1/"})
_PATHLESS = ("snmp", "modbus", "redfish", "ipmi", "scpi", "vxi11")
_UNIT = r"unit=\d{1,3}"
_OPTIONS = {
    "modbus": (rf"({_UNIT}|framing=(tcp|rtu)|&)+", "modbus://HOST:PORT?unit=N with N from 0 to 255"),
    SERIAL: (
        rf"({_UNIT}|baudrate=[1-9]\d*|parity=[NEOneo]|stopbits=[12]|&)+",
        "modbus+serial:///dev/NAME?baudrate=9600&parity=N&stopbits=1&unit=N",
    ),
    "redfish": (r"chassis=[A-Za-z0-9._-]+", "redfish://HOST?chassis=ID"),
}


class InvalidAddress(ConfigError):
    """A text that is not the address of a device: what is wrong with it, and the suggested fix."""

    def __init__(self, url: str, problem: str, suggested_fix: str) -> None:
        super().__init__(f"{url!r} is not an address: {problem}", suggested_fix, "bad_address")
        self.problem = problem


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
        InvalidAddress
            It is not an address of a supported protocol.
        """
        parts = _checked(url)
        options = {name: values[0] for name, values in parse_qs(parts.query).items()}
        modbus = parts.scheme in ("modbus", SERIAL)
        unit = int(options.get("unit", "1")) if modbus else 1
        if parts.scheme == SERIAL:
            return Address(url, SERIAL, parts.path, 0, unit, "rtu", line=_line(parts.path, options))
        framing: Framing = "rtu" if modbus and options.get("framing") == "rtu" else "tcp"
        chassis = options.get("chassis", "") if _is_service(parts) else ""
        port = parts.port or PORTS[parts.scheme]
        return Address(url, parts.scheme, parts.hostname or "", port, unit, framing, chassis)

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


def split_url(url: str, schemes: Sequence[str]) -> SplitResult:
    """Split a URL of one of some schemes that names a host and a valid port, and no credentials.

    Raises
    ------
    InvalidAddress
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise InvalidAddress(url, "not an address", "write SCHEME://HOST:PORT with a port from 1 to 65535") from None
    if parts.scheme not in schemes:
        problem = "unknown scheme" if "://" in url else "no scheme"
        raise InvalidAddress(url, problem, f"begin with one of {', '.join(f'{scheme}://' for scheme in schemes)}")
    host = parts.hostname
    if not host or re.search(r"\s", url):
        raise InvalidAddress(url, "no host", f"write {parts.scheme}://HOST:PORT")
    if re.fullmatch(r"[\d.]+", host) and not _is_ipv4(host):
        raise InvalidAddress(url, f"{host} is not an IPv4 address", "write four numbers from 0 to 255, or a name")
    if port == 0:
        raise InvalidAddress(url, "port 0", "write a port from 1 to 65535")
    if "@" in parts.netloc:
        fix = "name an auth and put env: or file: references there"
        without = parts._replace(netloc=f"…@{parts.netloc.rpartition('@')[2]}").geturl()
        raise InvalidAddress(without, "credentials do not belong in an address", fix)
    return parts


def _is_ipv4(host: str) -> bool:
    try:
        return bool(ipaddress.IPv4Address(host))
    except ValueError:
        return False


def _checked(url: str) -> SplitResult:
    if url.startswith(f"{SERIAL}:"):
        parts = urlsplit(url)
        if parts.netloc or not re.fullmatch(r"/[^\s]+", parts.path):
            fix = "write modbus+serial:///dev/NAME?unit=N, with three slashes"
            raise InvalidAddress(url, "no serial port", fix)
    else:
        parts = split_url(url, SCHEMES)
    scheme = parts.scheme
    if scheme in _PATHLESS and (parts.path not in ("", "/") or parts.fragment):
        raise InvalidAddress(url, "a path after the host", f"write {scheme}://HOST:PORT")
    if parts.query and scheme == "snmp":
        raise InvalidAddress(url, "an option after the host", "community and version belong to an auth")
    if parts.query and scheme in ("ipmi", "scpi", "vxi11"):
        raise InvalidAddress(url, "an option after the host", f"write {scheme}://HOST:PORT")
    if parts.query and scheme in _OPTIONS:
        allowed, form = _OPTIONS[scheme]
        if not re.fullmatch(allowed, parts.query) or int(parse_qs(parts.query).get("unit", ["1"])[0]) > 255:
            raise InvalidAddress(url, "bad option", f"write {form}")
    return parts


def _line(path: str, options: Mapping[str, str]) -> SerialLine:
    return SerialLine(
        path,
        int(options.get("baudrate", SerialLine.baudrate)),
        options.get("parity", SerialLine.parity).upper(),
        int(options.get("stopbits", SerialLine.stopbits)),
    )
