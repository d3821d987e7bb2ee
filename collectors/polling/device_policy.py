"""What a collector does for the server: which addresses it polls, and which secrets it sends where.

Who may change the facility must not be able to read the collector's files and environment: a reference to a secret is
resolved only for hosts that the collector's own operator names.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from collectors.contract import SERIAL
from collectors.device import PolledDevice
from collectors.errors import ConfigError

_KINDS = ("env:", "file:", "secret:")


@dataclass(frozen=True)
class AllowedSecret:
    """A secret that may be sent to some hosts: addresses, networks, or names with `*`."""

    source: str
    hosts: tuple[str, ...]


@dataclass(frozen=True)
class DevicePolicy:
    """The devices that a collector polls, of those that the server assigns.

    Attributes
    ----------
    networks: addresses, networks and host names with `*` that may be polled; without any, all but link-local ones,
        at which clouds have their metadata.
    secrets: what may be sent where, by name.
    trusted: references and hosts of the collector's own facility file.
    """

    networks: tuple[str, ...] = ()
    secrets: Mapping[str, AllowedSecret] = field(default_factory=dict)
    trusted: frozenset[tuple[str, str]] = frozenset()

    def admit(self, device: PolledDevice) -> PolledDevice:
        """Return a device with references that this collector resolves.

        Raises
        ------
        ConfigError
            Its address or one of its secrets is not allowed.
        """
        if device.address.scheme == SERIAL:
            return device
        host = device.address.host.lower()
        if self.networks and not any(_matches(host, pattern) for pattern in self.networks):
            raise ConfigError(f"{host} is not in WATTLINE_DEVICE_NETWORKS", "add its network there", "address_refused")
        if not self.networks and _is_link_local(host):
            raise ConfigError(
                f"{host} is a link-local address", "list it in WATTLINE_DEVICE_NETWORKS", "address_refused"
            )
        auth = {key: self._source(value, host) if _is_reference(value) else value for key, value in device.auth.items()}
        return replace(device, auth=auth)

    def _source(self, reference: str, host: str) -> str:
        if (reference, host) in self.trusted:
            return reference
        for name, allowed in self.secrets.items():
            is_meant = reference in (f"secret:{name}", allowed.source)
            if is_meant and any(_matches(host, pattern) for pattern in allowed.hosts):
                return allowed.source
        entry = json.dumps({"NAME": {"source": reference, "hosts": [host]}})
        raise ConfigError(
            f"{reference} may not be sent to {host}",
            f"add it to WATTLINE_SECRETS of the collector, like {entry}, or start it with --facility FILE",
            "secret_refused",
        )


NO_SECRETS = DevicePolicy()
"""Any device, and no secret for it."""


def device_policy(
    networks: str = "", secrets: str = "", trusted: frozenset[tuple[str, str]] = frozenset()
) -> DevicePolicy:
    """Return the policy of `WATTLINE_DEVICE_NETWORKS` and `WATTLINE_SECRETS`.

    Raises
    ------
    ConfigError
        One of them cannot be read.
    """
    listed = tuple(filter(None, (part.strip().lower() for part in networks.split(","))))
    return DevicePolicy(listed, _read_secrets(secrets), trusted)


def _read_secrets(text: str) -> dict[str, AllowedSecret]:
    try:
        return {name: _read_secret(entry) for name, entry in json.loads(text or "{}").items()}
    except (ValueError, TypeError, AttributeError, KeyError):
        raise ConfigError(
            "WATTLINE_SECRETS cannot be read",
            'write it as JSON like {"pdu": {"source": "env:PDU_COMMUNITY", "hosts": ["10.0.0.0/24"]}}',
            "bad_secrets",
        ) from None


def _read_secret(entry: Mapping[str, object]) -> AllowedSecret:
    source, hosts = entry["source"], entry["hosts"]
    is_source = isinstance(source, str) and source.startswith(("env:", "file:"))
    if not (is_source and isinstance(hosts, list) and hosts and all(isinstance(host, str) for host in hosts)):
        raise ValueError
    if set(entry) - {"source", "hosts"}:
        raise ValueError
    return AllowedSecret(str(source), tuple(host.lower() for host in hosts))


def _is_reference(value: object) -> bool:
    return isinstance(value, str) and value.startswith(_KINDS)


def _matches(host: str, pattern: str) -> bool:
    """Return whether a host is in a network, or has a name like the pattern; `*` matches no address."""
    address = _address(host)
    if address is None:
        return fnmatchcase(host, pattern)
    try:
        return address in ipaddress.ip_network(pattern, strict=False)
    except ValueError:
        return False


def _is_link_local(host: str) -> bool:
    address = _address(host)
    return address is not None and (address.is_link_local or address.is_multicast or address.is_unspecified)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
