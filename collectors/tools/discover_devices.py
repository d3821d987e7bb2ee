"""`wattline discover`: identify the device at every address of a range and write them as a facility file.

Addresses are asked in order, a few at a time and with a limit per second; one that does not answer costs two
datagrams.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from collectors.contract import Address, Quantity
from collectors.device import PolledDevice
from collectors.errors import CollectorError, ConfigError, OurFault, Unreachable
from collectors.profiles import SnmpProfile, catalogue
from collectors.protocols.snmp import identify_snmp, model_of, sign_in

MOST_ADDRESSES = 2**16
_AMBIENT = {Quantity.TEMPERATURE, Quantity.HUMIDITY}
_OUTLETS = re.compile(r"\b(outlet|inlet|bank)\b")
_LOG = logging.getLogger(__name__)
_AT_ONCE = 8
_SNMP_PORT = 161


@dataclass(frozen=True)
class DiscoveredDevice:
    """An address that answered: profile ('' when none fits), vendor and model, or why it was not identified."""

    host: str
    profile: str = ""
    vendor: str = ""
    model: str = ""
    kind: str = ""
    problem: str = ""


@dataclass(frozen=True)
class _Query:
    """How every address is queried, and the profiles that may fit."""

    auth: Mapping[str, Any]
    community: str
    port: int
    timeout_s: float
    profiles: Sequence[SnmpProfile]


def addresses(given: str, large: bool = False) -> list[str]:
    """Return the addresses of a range (`10.0.0.0/28`) or of one address.

    Raises
    ------
    ConfigError
        It is not a range, or it has more than 65,536 addresses and `large` is false.
    """
    try:
        network = ipaddress.ip_network(given, strict=False)
    except ValueError:
        raise ConfigError(f"{given!r} is not a range of addresses", "write it like 10.0.0.0/24", "bad_range") from None
    if network.num_addresses > MOST_ADDRESSES and not large:
        raise ConfigError(
            f"{given} has {network.num_addresses} addresses, more than {MOST_ADDRESSES}",
            "give a smaller range, or use --large",
            "range_too_large",
        )
    return [str(host) for host in network.hosts()]


async def discover(
    hosts: Sequence[str],
    auth: Mapping[str, Any],
    port: int = _SNMP_PORT,
    hosts_a_second: float = 10.0,
    timeout_s: float = 1.0,
    asked: Callable[[int], None] = lambda _: None,
    community: str = "public",
    unanswered: Counter[str] | None = None,
) -> AsyncIterator[DiscoveredDevice]:
    """Yield the devices that answer, as they do; `asked` is called with the number of addresses done.

    `unanswered` counts the others by the code of their error: `device_timeout`, `port_closed`, `network_error`.

    Raises
    ------
    ConfigError
        The credentials are invalid.
    """
    sign_in(auth, community)
    missed = Counter[str]() if unanswered is None else unanswered
    query = _Query(auth, community, port, timeout_s, [p for p in catalogue().values() if p.protocol == "snmp"])
    loop, began, done = asyncio.get_running_loop(), asyncio.get_running_loop().time(), 0
    waiting: set[asyncio.Task[DiscoveredDevice | None]] = set()
    try:
        for n, host in enumerate(hosts):
            await asyncio.sleep(max(0.0, began + n / hosts_a_second - loop.time()))
            waiting.add(asyncio.create_task(_identify(host, query, missed)))
            while len(waiting) >= _AT_ONCE or (n + 1 == len(hosts) and waiting):
                ready, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                done += len(ready)
                asked(done)
                for task in ready:
                    if (found := task.result()) is not None:
                        yield found
    finally:
        for task in waiting:
            task.cancel()


async def _identify(host: str, query: _Query, unanswered: Counter[str]) -> DiscoveredDevice | None:
    """Return the device at an address; None if nothing answers there, which `unanswered` counts."""
    where = f"[{host}]" if ":" in host else host
    address = Address.parse(f"snmp://{where}:{query.port}")
    device = PolledDevice(host, "auto", address, timeout_s=query.timeout_s, auth=query.auth)
    try:
        profile = await identify_snmp(device, query.community, query.profiles)
        model = await model_of(device, query.community, profile)
    except Unreachable as error:
        unanswered[error.code] += 1
        return None
    except CollectorError as error:
        return DiscoveredDevice(host, problem=error.explanation)
    except Exception as error:
        _LOG.exception("%s could not be identified", host)
        return DiscoveredDevice(host, problem=OurFault(f"it could not be identified: {error}").explanation)
    return DiscoveredDevice(host, profile.name, profile.vendor, model, device_kind(profile))


def device_kind(profile: SnmpProfile) -> str:
    """Return the kind of device: by what it is called and what its profile measures."""
    if re.search(r"\bups\b", f"{profile.name} {profile.family}".lower()):
        return "ups"
    if {value.quantity for points in profile.points for value in points.values} <= _AMBIENT:
        return "sensor"
    return "pdu" if any(_OUTLETS.search(points.point) for points in profile.points) else "meter"


def facility_toml(found: Sequence[DiscoveredDevice], site: str, auth: Mapping[str, Any], port: int = _SNMP_PORT) -> str:
    """Return a facility file with the devices found; racks are left for the operator to fill in."""
    lines = ["[site]", f'key = "{site}"', ""]
    for one in sorted(found, key=lambda f: ipaddress.ip_address(f.host).packed):
        where = f"[{one.host}]" if ":" in one.host else one.host
        if not one.profile:
            lines += [f"# {one.host} answers, but: {_comment(one.problem)}", ""]
            continue
        lines += [
            f"[devices.{re.sub(r'[^A-Za-z0-9]+', '-', f'{one.kind}-{one.host}').strip('-')}]",
            f"label = {_quoted(f'{one.vendor} {one.model}'.strip())}",
            f'kind = "{one.kind}"',
            f'profile = "{one.profile}"',
            f'address = "snmp://{where}{"" if port == _SNMP_PORT else f":{port}"}"',
            *(['auth = "discovered"'] if auth else []),
            '# rack = "…"',
            "",
        ]
    if auth and any(one.profile for one in found):
        lines += ["[auth.discovered]", *(f"{name} = {_toml(value)}" for name, value in auth.items()), ""]
    return "\n".join(lines)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else _quoted(str(value))


def _quoted(text: str) -> str:
    """Return a TOML string; a device's text may contain anything."""
    shown = "".join(c if c.isprintable() else " " for c in text)[:120]
    return '"' + shown.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:300]
