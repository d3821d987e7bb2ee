"""Receive SNMP notifications, match them to a device, name them by its profile and store them as events.

A notification belongs to the device at its source address, or to the one a v1 trap or a proxy names as its agent. A
device that is polled with v3 is accepted in v3 only. Notifications that no profile names are stored with their OID;
unknown senders are logged once. Rates are limited, so that no sender can flood the server.
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
from collectors.device import LONGEST_DETAIL, Clock, Note, PolledDevice, clipped
from collectors.errors import CollectorError, ConfigError
from collectors.profiles import Meaning, Trap, catalogue, meaning
from collectors.protocols.snmp import (
    MOST_ELEMENTS,
    V3,
    Answer,
    Notification,
    Socket,
    UserReceiver,
    Usm,
    elements_of,
    read_plain,
    sign_in,
    version_of,
)

_LOG = logging.getLogger(__name__)
MOST_A_MINUTE = 60
"""Limit of notifications per device and minute that become events; the rest is counted."""
_MOST_SENDERS = 100
MOST_ELEMENTS_A_MINUTE = 30_000
"""Elements of notifications that are decoded for one source in a minute, and for all unknown sources together: about
1,000 notifications, which take about 3 s."""
_LOOK_UP_MS = 300_000


class EventSink(Protocol):
    """Receiver of events."""

    def event(self, device: str, note: Note) -> None:
        """Store an event of a device ('' for an unknown sender)."""


class _Rate:
    """Notifications of a source in this minute that became events, and those dropped."""

    def __init__(self) -> None:
        self.minute = self.taken = self.dropped = 0

    def admits(self, now_ms: int) -> tuple[bool, int]:
        """Return whether one more may become an event, and how many were dropped in the previous minute."""
        minute, over = now_ms // MINUTE_MS, 0
        if minute != self.minute:
            over, self.minute, self.taken, self.dropped = self.dropped, minute, 0, 0
        if self.taken >= MOST_A_MINUTE:
            self.dropped += 1
            return False, over
        self.taken += 1
        return True, over


class _Work:
    """Elements decoded in this minute."""

    def __init__(self) -> None:
        self.minute = self.elements = 0

    def admits(self, elements: int, now_ms: int) -> bool:
        """Return whether so many more elements are decoded in this minute."""
        minute = now_ms // MINUTE_MS
        if minute != self.minute:
            self.minute, self.elements = minute, 0
        self.elements += elements
        return self.elements <= MOST_ELEMENTS_A_MINUTE


class TrapReceiver:
    """Turns datagrams into events of the devices that this collector polls."""

    def __init__(self, sink: EventSink, clock: Clock = wall_clock_ms) -> None:
        self._sink = sink
        self._clock = clock
        self._devices: dict[str, PolledDevice] = {}
        self._at: dict[str, list[str]] = {}
        self._looked_up_ms = 0
        self._receivers: dict[Usm, UserReceiver] = {}
        self._rates: dict[str, _Rate] = {}
        self._reported_ms: dict[tuple[str, str], int] = {}
        self._last: dict[tuple[str, str, str], int] = {}
        self._work: dict[str, _Work] = {}
        self._logged_ms: dict[tuple[str, str], int] = {}

    async def set_devices(self, devices: Sequence[PolledDevice]) -> None:
        """Set the devices; their host names are resolved again every few minutes."""
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
        self._work = {host: work for host, work in self._work.items() if host in self._at}

    def receive(self, datagram: bytes, source: tuple[str, int], answer: Answer) -> None:
        """Process one datagram, which may be anything; never raises. A sender of bad ones costs a log line an hour."""
        try:
            self._receive(datagram, source, answer)
        except CollectorError as error:
            self._once(
                ("unreadable", source[0]), "", Note("trap_refused", f"{source[0]}: {error.explanation}", "warning")
            )
        except Exception as error:
            self._log_once(("internal", source[0]), f"internal error in a notification from {source[0]}: {error!r}")

    def _receive(self, datagram: bytes, source: tuple[str, int], answer: Answer) -> None:
        here = _canonical(source[0])
        known = self._at.get(here, [])
        elements = elements_of(datagram)
        if not 0 < elements <= MOST_ELEMENTS:
            self._log_once(("malformed", here), f"{here} sends datagrams that are no notifications, or too large")
            return
        work = self._work.setdefault(here if known else "", _Work())
        if not work.admits(elements, self._clock()):
            self._log_once(("flood", here), f"{here} sends more notifications than are read in a minute")
            return
        version = version_of(datagram)
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
            detail = f"{here} sent a notification without SNMPv3 user; {device.key} is polled with SNMPv3"
            self._once(("refused", device.key), device.key, Note("trap_refused", detail, "warning"))
            return
        self._keep(device, found)

    def _receive_signed(self, datagram: bytes, source: tuple[str, int], answer: Answer, known: Sequence[str]) -> None:
        """Read a v3 message with the users of the devices at its source."""
        users = {user: key for key in known if isinstance(user := sign_in(self._devices[key].auth), Usm)}
        for user, key in users.items():
            if user not in self._receivers:
                self._receivers[user] = UserReceiver(user)
            found = self._receivers[user].read(datagram, source, answer)
            if found is not None:
                same = [other for other in known if sign_in(self._devices[other].auth) == user]
                self._keep(self._one(same, found, source[0]) or self._devices[key], found)
                return

    def _one(self, known: Sequence[str], found: Notification, source: str) -> PolledDevice | None:
        """Return the device of a notification; None, logged once an hour, if there is none or more than one."""
        if len(known) == 1:
            return self._devices[known[0]]
        detail = f"notification {found.oid} from {source}, " + (
            f"the address of {', '.join(known)}" if known else "which is the address of no polled device"
        )
        self._once(("unknown", source), "", Note("trap_unmatched", detail, "warning", subject=source))
        return None

    def _keep(self, device: PolledDevice, found: Notification) -> None:
        now_ms = self._clock()
        admitted, over = self._rates.setdefault(device.key, _Rate()).admits(now_ms)
        if over:
            detail = f"{over} more notifications within a minute were dropped"
            self._sink.event(device.key, Note("trap_storm", detail, "warning"))
        if not admitted:
            return
        event = meaning(found.oid, found.varbinds, _lines(device))
        t_ms = self._moment(device, event, now_ms)
        self._sink.event(device.key, Note(event.kind, event.text, event.severity, t_ms, event.point))

    def _moment(self, device: PolledDevice, event: Meaning, now_ms: int) -> int:
        """Return the time of an event, unique among equal events, which are identified by their time."""
        key = (device.key, event.kind, event.point)
        if len(self._last) > _MOST_SENDERS:
            self._last = {k: t for k, t in self._last.items() if t >= now_ms}
        t_ms = max(now_ms, self._last.get(key, 0) + 1)
        self._last[key] = t_ms
        return t_ms

    def _log_once(self, what: tuple[str, str], line: str) -> None:
        """Log a line at most once an hour, for a limited number of senders."""
        now_ms = self._clock()
        self._logged_ms = {key: t for key, t in self._logged_ms.items() if now_ms - t < HOUR_MS}
        if what not in self._logged_ms and len(self._logged_ms) < _MOST_SENDERS:
            self._logged_ms[what] = now_ms
            _LOG.warning("%s", clipped(line, LONGEST_DETAIL))

    def _once(self, what: tuple[str, str], device: str, note: Note) -> None:
        """Record an event at most once an hour, for a limited number of senders."""
        now_ms = self._clock()
        self._reported_ms = {key: t for key, t in self._reported_ms.items() if now_ms - t < HOUR_MS}
        if what in self._reported_ms or len(self._reported_ms) >= _MOST_SENDERS:
            return
        self._reported_ms[what] = now_ms
        _LOG.warning("%s", note.detail)
        self._sink.event(device, note)


def _lines(device: PolledDevice) -> Sequence[Trap]:
    """Return the trap lines of a device's profile (of all profiles for `auto`), then those of the standard MIBs."""
    known = [profile for profile in catalogue().values() if profile.protocol == "snmp"]
    chosen = [profile for profile in known if profile.name == device.profile] or known
    standards = [profile for profile in known if profile.identify.breadth > 0]
    return [line for profile in (*chosen, *standards) for line in profile.traps]


def _canonical(host: str) -> str:
    """Return an address in one form: 10.0.0.7 for `::ffff:10.0.0.7`."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    mapped = getattr(address, "ipv4_mapped", None)
    return str(mapped or address)


async def _addresses(host: str) -> list[str]:
    """Return the addresses of a name; an address is returned as it is."""
    with contextlib.suppress(ValueError):
        return [str(ipaddress.ip_address(host))]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_DGRAM)
    except OSError:
        return []
    return list(dict.fromkeys(_canonical(str(row[4][0])) for row in found))


async def listen(receiver: TrapReceiver, port: int, host: str = "") -> asyncio.DatagramTransport:
    """Open the port for notifications, on one address or on all of this machine.

    Raises
    ------
    ConfigError
        The port cannot be opened.
    """
    reason = ""
    for address in [host] if host else ["::", "0.0.0.0"]:  # noqa: S104 -- devices are elsewhere
        try:
            transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: Socket(receiver.receive), local_addr=(address, port)
            )
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return transport
    raise ConfigError(
        f"notifications cannot be received on port {port}: {reason}",
        "ports below 1024 need privileges: choose a higher one, or redirect port 162 to it",
        "trap_port",
    )
