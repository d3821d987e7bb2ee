"""Which client asks an SNMP agent."""

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
    """The client for what the facility says about signing in, not opened yet; see `sign_in` for errors."""
    way = sign_in(auth, community)
    if isinstance(way, Usm):
        return UserClient(address, way, timeout_s, max_packets_s)
    return CommunityClient(address, way, timeout_s, max_packets_s)
