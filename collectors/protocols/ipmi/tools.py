"""Run `ipmitool`, else FreeIPMI's `ipmi-dcmi`.

The password is passed to ipmitool in its environment and to ipmi-dcmi through a pipe: never on a command line, which
every user of the machine may read.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from collectors.contract import address_of
from collectors.device import PolledDevice, clipped, user_and_password
from collectors.errors import AccessDenied, BadAnswer, ConfigError, Unreachable

_KEYS = frozenset({"user", "password"})
_HINT = "is IPMI over LAN enabled on the BMC, and are user and password correct?"
_UNQUOTABLE = frozenset('"#\\\n')
_REFUSED = re.compile(
    r"RAKP \d message indicates an error|password (verification|invalid)|invalid password|username invalid|"
    r"insufficient privilege|privilege level (insufficient|cannot)|unauthorized name",
    re.IGNORECASE,
)
_SILENT = re.compile(
    r"unable to establish|session timeout|connection timeout|no response|could not open", re.IGNORECASE
)
_MANUFACTURER = re.compile(r"^Manufacturer ID\s*:\s*(\d{1,9})\b", re.MULTILINE)
_PERIOD = re.compile(r"Sampling period:\s*(\d{1,9}) Seconds")
_MOST_BYTES = 2**16  # of the output of a tool
_LONGEST_PERIOD_S = 86_400.0


class PowerReading(NamedTuple):
    """Response to DCMI's Get Power Reading [W], and the averaging time [s] (None: since the last reset)."""

    instant_w: float | None
    average_w: float | None
    period_s: float | None


class IpmiTools:
    """One BMC."""

    def __init__(self, device: PolledDevice) -> None:
        unknown = sorted(set(device.auth) - _KEYS)
        if unknown:
            raise ConfigError(f"auth has unknown keys {unknown}", f"known: {sorted(_KEYS)}")
        self._device = device
        self._credentials = user_and_password(device.auth) or ("", "")

    async def power(self) -> PowerReading:
        """Return the present power and the average.

        Raises
        ------
        ConfigError
            Neither tool is installed.
        Unreachable, AccessDenied, BadAnswer
        """
        if shutil.which("ipmitool"):
            return parse_ipmitool(await self._ipmitool("dcmi", "power", "reading"))
        if shutil.which("ipmi-dcmi"):
            return parse_freeipmi(await self._freeipmi("--get-system-power-statistics"))
        suggested_fix = "install ipmitool or FreeIPMI, or use redfish:// if the BMC supports it"
        detail = "neither ipmitool nor ipmi-dcmi is installed where the collector runs"
        raise ConfigError(detail, suggested_fix, "no_ipmi_tool")

    async def manufacturer(self) -> int | None:
        """Return the IANA number of the BMC's vendor; None without ipmitool."""
        if not shutil.which("ipmitool"):
            return None
        found = _MANUFACTURER.search(await self._ipmitool("mc", "info"))
        return int(found[1]) if found else None

    async def raw(self, *request: int) -> bytes:
        """Send a raw request (network function, command, data) and return the data of its response.

        Raises
        ------
        Unreachable, AccessDenied, BadAnswer
        """
        text = await self._ipmitool("raw", *(f"0x{byte:02x}" for byte in request))
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise BadAnswer(
                f"{self._device.address.url}: {clipped(text.strip())!r} is not a response in hexadecimal bytes"
            ) from None

    async def _ipmitool(self, *command: str) -> str:
        address, (user, password) = self._device.address, self._credentials
        host = await self._resolved()
        session = ["ipmitool", "-I", "lanplus", "-H", host, "-p", str(address.port), "-E"]
        who = ["-U", user] if user else []
        return await self._run([*session, *who, *command], {"IPMI_PASSWORD": password})

    async def _freeipmi(self, *command: str) -> str:
        address, (user, password) = self._device.address, self._credentials
        if _UNQUOTABLE & {*user, *password}:
            detail = f"user or password of {address.url} has a quotation mark, # or backslash: not for FreeIPMI"
            raise ConfigError(detail, "install ipmitool, or choose another password", "bad_password")
        reading, writing = os.pipe()
        try:
            os.write(writing, f'username "{user}"\npassword "{password}"\n'.encode() if user else b"")
            os.close(writing)
            host = f"{await self._resolved()}:{address.port}"
            session = ["ipmi-dcmi", "-D", "LAN_2_0", "-h", host, f"--config-file=/dev/fd/{reading}"]
            return await self._run([*session, *command], {}, (reading,))
        finally:
            os.close(reading)

    async def _resolved(self) -> str:
        """Return the address of the BMC, which the event loop has checked: the tool would resolve the name again."""
        host = self._device.address.host
        if address_of(host) is not None:
            return host
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_DGRAM)
        except OSError as error:
            raise Unreachable(f"{self._device.address.url}: {error}", _HINT) from None
        return str(found[0][4][0])

    async def _run(self, args: Sequence[str], secret: Mapping[str, str], fds: Sequence[int] = ()) -> str:
        """Return the output of a tool, which is killed at the timeout of the device."""
        path = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        process = await asyncio.create_subprocess_exec(
            *args,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**path, **secret},
            pass_fds=fds,
        )
        url = self._device.address.url
        try:
            async with asyncio.timeout(self._device.timeout_s):
                out, stderr_text = await asyncio.gather(_output(process.stdout, url), _output(process.stderr, url))
                await process.wait()
        except TimeoutError:
            raise Unreachable(f"{url} did not answer in {self._device.timeout_s:g} s", _HINT) from None
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            raise _trouble(f"{url}: {args[0]}", (stderr_text or out).decode(errors="replace").strip())
        return out.decode(errors="replace")


async def _output(stream: asyncio.StreamReader | None, url: str) -> bytes:
    """Return what a tool prints, up to a limit."""
    found = b""
    while stream is not None and (part := await stream.read(_MOST_BYTES)):
        found += part
        if len(found) > _MOST_BYTES:
            raise BadAnswer(f"{url}: the tool prints more than {_MOST_BYTES} bytes", code="answer_too_large")
    return found


def parse_ipmitool(text: str) -> PowerReading:
    """Parse the output of `ipmitool dcmi power reading`.

    Raises
    ------
    BadAnswer
        It has no power reading.
    """
    fields = _fields(text)
    names = ("instantaneous power reading", "average power reading over sample period")
    instant, average = (_number(fields, name) for name in names)
    period = _PERIOD.search(text)  # ipmitool 1.8.19 prints it after the time stamp, on the same line
    return _reading(text, instant, average, period and float(period[1]), fields.get("power reading state is"))


def parse_freeipmi(text: str) -> PowerReading:
    """Parse the output of `ipmi-dcmi --get-system-power-statistics`; see `parse_ipmitool`."""
    fields = _fields(text)
    period_ms = _number(fields, "statistics reporting time period")
    instant, average = (_number(fields, name) for name in ("current power", "average power over sampling duration"))
    return _reading(text, instant, average, period_ms and period_ms / 1000, fields.get("power measurement"))


def _reading(
    text: str, instant: float | None, average: float | None, period_s: float | None, state: str | None
) -> PowerReading:
    if instant is None:
        raise BadAnswer(f"no power reading in {text.strip()[:80]!r}", "does the BMC measure power?", "no_power_reading")
    if state is not None and state.casefold() not in ("active", "activated"):
        return PowerReading(None, None, period_s)
    return PowerReading(instant, average, period_s if period_s and period_s <= _LONGEST_PERIOD_S else None)


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip().casefold(): value.strip() for name, colon, value in pairs if colon}


def _number(fields: Mapping[str, str], name: str) -> float | None:
    found = re.match(r"\d{1,15}(\.\d{1,15})?(?![\d.])", fields.get(name, ""))
    return float(found[0]) if found else None


def _trouble(where: str, stderr_text: str) -> AccessDenied | Unreachable | BadAnswer:
    detail = f"{where}: {stderr_text.splitlines()[0][:200] if stderr_text else 'failed without a message'}"
    if _REFUSED.search(stderr_text):
        return AccessDenied(detail, "check user and password in the device's auth, and the user's LAN privilege")
    if _SILENT.search(stderr_text):
        return Unreachable(detail, _HINT, "no_connection")
    return BadAnswer(detail, "does the BMC support DCMI?")
