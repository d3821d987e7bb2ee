"""Choose the SNMP client for an agent's credentials."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from collectors.contract import Address
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
