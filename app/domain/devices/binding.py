"""Which collectors may poll a device, as its site declares."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence


def bound_to(declared: Sequence[str], host: str) -> frozenset[str] | None:
    """Return the collectors that may poll a device; None if any may.

    Parameters
    ----------
    declared: collectors of the site, `NAME` or `NAME NETWORK`. host: name or IP address of the device.

    Notes
    -----
    A device in a network that is declared is polled by the collectors of that network; any other by those without one,
    or, where there is none, by any.
    """
    pairs = [text.partition(" ")[::2] for text in declared]
    near = {name for name, network in pairs if network and _is_in(host, network)}
    return frozenset(near or {name for name, network in pairs if not network}) or None


def _is_in(host: str, network: str) -> bool:
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(network)
    except ValueError:
        return False
