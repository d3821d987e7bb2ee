"""Choose the SNMP client for an agent's credentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from collectors.contract import Address
from collectors.errors import AccessDenied, DeviceError, Unreachable
from collectors.protocols.snmp.auth import Usm, sign_in
from collectors.protocols.snmp.client import SnmpClient
from collectors.protocols.snmp.community import CommunityClient
from collectors.protocols.snmp.user import UserClient


def client_for(
    address: Address,
    auth: Mapping[str, Any],
    timeout_s: float,
    community: str = "public",
    max_packets_s: float = 50.0,
) -> SnmpClient:
    """Return the client for a device's credentials, not opened yet; see `sign_in` for errors."""
    credentials = sign_in(auth, community)
    if isinstance(credentials, Usm):
        return UserClient(address, credentials, timeout_s, max_packets_s)
    return CommunityClient(address, credentials, timeout_s, max_packets_s)


async def explain_silence(
    address: Address, auth: Mapping[str, Any], error: Unreachable, timeout_s: float
) -> DeviceError:
    """Return the error for an agent that did not answer: `AccessDenied` if there is one, else the given error.

    Agents drop requests with a wrong community. Those that also speak SNMPv3 report their engine to everyone (RFC 3414
    4), so one more datagram finds them.
    """
    if error.code != "device_timeout" or isinstance(sign_in(auth), Usm):
        return error
    client = UserClient(address, Usm(""), timeout_s, 50.0)
    client.attempts = 1
    try:
        await client.open()
    except DeviceError:
        return error
    finally:
        await client.close()
    return AccessDenied(
        f"{address.url} has an SNMP agent, but it does not answer this community",
        "check the community, and that SNMP v1 or v2c is enabled on the device; it speaks SNMPv3",
        "wrong_community",
    )
