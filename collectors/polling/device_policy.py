"""What a collector does for the server: which addresses it polls, and which secrets it sends where.

Who may change the facility must not be able to read the collector's files and environment: a reference to a secret is
resolved only for hosts that the collector's own operator names.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from collectors.contract import (
    SERIAL,
    CheckedResolution,
    RefusedAddress,
    address_of,
    host_refusal,
    matches_host,
    resolved_refusal,
)
from collectors.device import PolledDevice
from collectors.errors import ConfigError

_NETWORKS = "WATTLINE_DEVICE_NETWORKS"
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
    networks: addresses, networks and host names with `*` that may be polled; without any, all but link-local ones and
        those at which clouds have their metadata.
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
        _refuse(host_refusal(host, self.networks, _NETWORKS))
        auth = {key: self._source(value, host) if _is_reference(value) else value for key, value in device.auth.items()}
        return replace(device, auth=auth)

    async def check_resolved(self, device: PolledDevice) -> None:
        """Check the addresses that the name of a device has now; one that does not resolve fails when it is polled.

        Raises
        ------
        ConfigError
            One of them is link-local or of a cloud's metadata, and no listed network contains it.
        """
        if device.address.scheme == SERIAL or address_of(device.address.host) is not None:
            return
        try:
            found = await asyncio.get_running_loop().getaddrinfo(device.address.host, None, type=socket.SOCK_DGRAM)
        except RefusedAddress as error:
            _refuse(str(error))
            return
        except OSError:
            return
        _refuse(self._resolved_refusal(device.address.host, found))

    def check_connections(self, server_url: str) -> None:
        """Let the running event loop check each address at the moment of connecting, but those of the server.

        Of a loop that cannot, names are checked only before.
        """
        loop, server = asyncio.get_running_loop(), urlsplit(server_url).hostname
        if isinstance(loop, CheckedResolution):
            loop.address_check = lambda name, found: "" if name == server else self._resolved_refusal(name, found)

    def _resolved_refusal(self, name: str, found: Sequence[Sequence[object]]) -> str:
        return resolved_refusal(name, found, self.networks)

    def admit_probe(self, device: PolledDevice) -> PolledDevice:
        """Return a device that is not in the facility and is read once, with references that this collector resolves.

        It is stricter than `admit`: the page of the server shows what the device returns, so that the operator of the
        collector names the networks first.

        Raises
        ------
        ConfigError
            No networks are listed, its address is not in them, or one of its secrets is not allowed.
        """
        host = device.address.host.lower()
        if device.address.scheme == SERIAL:
            raise ConfigError(f"{host} is a serial port", "run `wattline probe` on this machine", "address_refused")
        if not self.networks:
            raise ConfigError(
                f"{host} is not in WATTLINE_DEVICE_NETWORKS of the collector, which is not set",
                "set it to the network of the devices, like 10.0.0.0/24, and restart the collector",
                "address_refused",
            )
        return self.admit(device)

    def _source(self, reference: str, host: str) -> str:
        if (reference, host) in self.trusted:
            return reference
        for name, allowed in self.secrets.items():
            is_meant = reference in (f"secret:{name}", allowed.source)
            if is_meant and any(matches_host(host, pattern) for pattern in allowed.hosts):
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


def _refuse(why: str) -> None:
    if why:
        raise ConfigError(why, f"list its network in {_NETWORKS}", "address_refused")
