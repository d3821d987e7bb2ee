"""Hosts that a collector polls and the server sends alerts to: listed ones, or all but link-local ones."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from fnmatch import fnmatchcase

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
METADATA = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200")))
"""Metadata services that are not link-local: of Amazon EC2 (IPv6) and Alibaba Cloud ECS, as both document them."""


def matches_host(host: str, pattern: str) -> bool:
    """Return whether a host is in a network, or has a name like the pattern; `*` matches no address."""
    address = address_of(host)
    if address is None:
        return fnmatchcase(host.lower(), pattern.lower())
    try:
        return address in ipaddress.ip_network(pattern, strict=False)
    except ValueError:
        return False


def host_refusal(host: str, networks: Sequence[str], setting: str) -> str:
    """Return why a host is not connected to; empty if it is.

    Parameters
    ----------
    networks: addresses, networks and names with `*` that are allowed; without any, all but link-local addresses and
    metadata services of clouds. setting: its name.
    """
    if networks and not any(matches_host(host, pattern) for pattern in networks):
        return f"{host} is not in {setting}"
    return _inward_refusal(host, host, networks)


def resolved_refusal(name: str, found: Sequence[Sequence[object]], networks: Sequence[str]) -> str:
    """Return why one of the addresses of a name (answers of `getaddrinfo`) is not connected to; empty if all are.

    The listed name allows its addresses, except link-local ones and metadata services, which a network must list.
    """
    addresses = [str(one[4][0]) for one in found if isinstance(one[4], tuple)]
    refusals = (_inward_refusal(address, f"{name} ({address})", networks) for address in addresses)
    return next(filter(None, refusals), "")


def address_of(host: str) -> IPAddress | None:
    """Return the address that a host is given as; None for a name."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _inward_refusal(host: str, shown: str, networks: Sequence[str]) -> str:
    """At these addresses a machine talks to its own surroundings, such as a cloud's metadata."""
    address = address_of(host)
    if address is None or any(matches_host(host, pattern) for pattern in networks):
        return ""
    is_local = address.is_link_local or address.is_multicast or address.is_unspecified
    return f"{shown} is a link-local address or one of a cloud's metadata" if is_local or address in METADATA else ""
