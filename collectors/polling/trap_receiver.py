"""Notifications that devices send by themselves: received, matched to their device, named by its profile, kept.

A notification belongs to the device at its source address, or to the one a v1 trap or a proxy names as its agent. It
counts only when it is signed in like polls of that device are: a device that is polled with v3 is believed in v3 alone.
What no profile names is kept with its OID; what is from nobody we poll is told once. No sender can flood the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import Sequence
from typing import Protocol

from collectors.contract import HOUR_MS, MINUTE_MS, wall_clock_ms
from collectors.device import Clock, Note, PolledDevice
from collectors.errors import CollectorError, ConfigError
from collectors.profiles import Meaning, Trap, catalogue, meaning
from collectors.protocols.snmp import (
    V3,
    Answer,
    Notification,
    Socket,
    UserReceiver,
    Usm,
    read_plain,
    sign_in,
    version_of,
)

_LOG = logging.getLogger(__name__)
MOST_A_MINUTE = 60
"""Notifications of one device that become events; the rest is counted."""
_MOST_STRANGERS = 100
_LOOK_UP_MS = 300_000


class EventSink(Protocol):
    """Where events go."""

    def event(self, device: str, note: Note) -> None:
        """Something that happened to a device ('' where it is none of ours)."""


class _Rate:
    """How many notifications of a source became events in this minute, and how many did not."""

    def __init__(self) -> None:
        self.minute = self.taken = self.dropped = 0

    def admits(self, now_ms: int) -> tuple[bool, int]:
        """Whether one more may become an event, and how many were dropped in the minute that is over."""
        minute, over = now_ms // MINUTE_MS, 0
        if minute != self.minute:
            over, self.minute, self.taken, self.dropped = self.dropped, minute, 0, 0
        if self.taken >= MOST_A_MINUTE:
            self.dropped += 1
            return False, over
        self.taken += 1
        return True, over


class TrapReceiver:
    """Turns datagrams into events. `devices` are those this collector polls."""

    def __init__(self, sink: EventSink, clock: Clock = wall_clock_ms) -> None:
        self._sink = sink
        self._clock = clock
        self._devices: dict[str, PolledDevice] = {}
        self._at: dict[str, list[str]] = {}
        self._looked_up_ms = 0
        self._receivers: dict[Usm, UserReceiver] = {}
        self._rates: dict[str, _Rate] = {}
        self._told_ms: dict[tuple[str, str], int] = {}
        self._last: dict[tuple[str, str, str], int] = {}

    async def set_devices(self, devices: Sequence[PolledDevice]) -> None:
        """These are the devices from now on; their names are looked up, again every few minutes."""
        wanted = {device.key: device for device in devices if device.address.scheme == "snmp"}
        now_ms = self._clock()
        if wanted == self._devices and now_ms - self._looked_up_ms < _LOOK_UP_MS:
            return
        self._devices, self._looked_up_ms = wanted, now_ms
        at: dict[str, list[str]] = {}
        for device in self._devices.values():
            for address in await _addresses(device.address.host):
                at.setdefault(address, []).append(device.key)
        self._at = at
        self._rates = {key: rate for key, rate in self._rates.items() if key in self._devices}

    def receive(self, datagram: bytes, source: tuple[str, int], answer: Answer) -> None:
        """Take one datagram; never raises: it may be anything."""
        try:
            self._receive(datagram, source, answer)
        except CollectorError as error:
            self._once(
                ("unreadable", source[0]), "", Note("trap_refused", f"{source[0]}: {error.explanation}", "warning")
            )
        except Exception:
            _LOG.exception("a notification from %s broke in our own code", source[0])

    def _receive(self, datagram: bytes, source: tuple[str, int], answer: Answer) -> None:
        here = _canonical(source[0])
        version = version_of(datagram)
        known = self._at.get(here, [])
        if version == V3:
            self._receive_signed(datagram, source, answer, known)
            return
        found = read_plain(datagram, answer) if version else None
        if found is None:
            return
        known = self._at.get(_canonical(found.agent), known) if found.agent else known
        device = self._one(known, found, here)
        if device is None:
            return
        if isinstance(sign_in(device.auth), Usm):
            words = f"a notification without user came from {here}; {device.key} is polled with SNMPv3"
            self._once(("refused", device.key), device.key, Note("trap_refused", words, "warning"))
            return
        self._keep(device, found)

    def _receive_signed(self, datagram: bytes, source: tuple[str, int], answer: Answer, known: Sequence[str]) -> None:
        """A v3 message is tried with the users of the devices at its source."""
        users = {way: key for key in known if isinstance(way := sign_in(self._devices[key].auth), Usm)}
        for way, key in users.items():
            if way not in self._receivers:
                self._receivers[way] = UserReceiver(way)
            found = self._receivers[way].read(datagram, source, answer)
            if found is not None:
                same = [other for other in known if sign_in(self._devices[other].auth) == way]
                self._keep(self._one(same, found, source[0]) or self._devices[key], found)
                return

    def _one(self, known: Sequence[str], found: Notification, source: str) -> PolledDevice | None:
        """The device a notification is of; None, told once an hour, when it is of none or may be of several."""
        if len(known) == 1:
            return self._devices[known[0]]
        words = f"notification {found.oid} from {source}, " + (
            f"where {', '.join(known)} are" if known else "where no device that we poll is"
        )
        self._once(("unknown", source), "", Note("trap_unmatched", words, "warning", subject=source))
        return None

    def _keep(self, device: PolledDevice, found: Notification) -> None:
        now_ms = self._clock()
        admitted, over = self._rates.setdefault(device.key, _Rate()).admits(now_ms)
        if over:
            words = f"{over} more notifications within a minute were not kept"
            self._sink.event(device.key, Note("trap_storm", words, "warning"))
        if not admitted:
            return
        said = meaning(found.oid, found.varbinds, _lines(device))
        t_ms = self._moment(device, said, now_ms)
        self._sink.event(device.key, Note(said.kind, said.text, said.severity, t_ms, said.point))

    def _moment(self, device: PolledDevice, said: Meaning, now_ms: int) -> int:
        """Now; a millisecond later where the same happened in this one: an event is known by its moment."""
        key = (device.key, said.kind, said.point)
        if len(self._last) > _MOST_STRANGERS:
            self._last = {k: t for k, t in self._last.items() if t >= now_ms}
        t_ms = max(now_ms, self._last.get(key, 0) + 1)
        self._last[key] = t_ms
        return t_ms

    def _once(self, what: tuple[str, str], device: str, note: Note) -> None:
        """An event at most once an hour, of at most so many strangers."""
        now_ms = self._clock()
        self._told_ms = {key: t for key, t in self._told_ms.items() if now_ms - t < HOUR_MS}
        if what in self._told_ms or len(self._told_ms) >= _MOST_STRANGERS:
            return
        self._told_ms[what] = now_ms
        _LOG.warning("%s", note.detail)
        self._sink.event(device, note)


def _lines(device: PolledDevice) -> Sequence[Trap]:
    """The lines of a device's profile (of every profile where the facility leaves it to us to find it), and behind them
    those of the standards, which an agent of any maker may follow."""
    known = [profile for profile in catalogue().values() if profile.protocol == "snmp"]
    chosen = [profile for profile in known if profile.name == device.profile] or known
    standards = [profile for profile in known if profile.identify.breadth > 0]
    return [line for profile in (*chosen, *standards) for line in profile.traps]


def _canonical(host: str) -> str:
    """An address in one form: `::ffff:10.0.0.7` is 10.0.0.7."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


async def _addresses(host: str) -> list[str]:
    """Every address of a name, itself when it is one; none when it has none now."""
    with contextlib.suppress(ValueError):
        return [str(ipaddress.ip_address(host))]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except OSError:
        return []
    return list(dict.fromkeys(_canonical(str(row[4][0])) for row in found))


async def listen(desk: TrapReceiver, port: int, host: str = "") -> asyncio.DatagramTransport:
    """Open the port that notifications come to, on one address or on all of this machine.

    Raises
    ------
    ConfigError
        It cannot be opened.
    """
    reason = ""
    for address in [host] if host else ["::", "0.0.0.0"]:  # noqa: S104 -- devices are elsewhere
        try:
            transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: Socket(desk.receive), local_addr=(address, port)
            )
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return transport
    raise ConfigError(
        f"notifications cannot be received on port {port}: {reason}",
        "ports below 1024 need privileges: choose one above, or let the firewall map 162 to it",
        "trap_port",
    )
