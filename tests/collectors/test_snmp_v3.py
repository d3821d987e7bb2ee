"""SNMPv3 against pysnmp's own engine: discovery, users, authentication.

Encryption is not tried here: pysnmp's agent needs the package `cryptography` for it.
"""

import asyncio
from contextlib import asynccontextmanager

import pytest
from pysnmp.carrier.asyncio.dgram import udp
from pysnmp.entity import config, engine
from pysnmp.entity.rfc3413 import cmdrsp, context

from collectors.device import Address
from collectors.errors import AccessDenied
from collectors.protocols.snmp_client import SnmpClient

pytestmark = pytest.mark.anyio
DESCRIPTION = "1.3.6.1.2.1.1.1.0"


@asynccontextmanager
async def agent():
    """An agent with a user `guest` (no authentication) and `reader` (SHA-256); yields its address."""
    snmp = engine.SnmpEngine()
    transport = udp.UdpAsyncioTransport().open_server_mode(("127.0.0.1", 0))
    config.add_transport(snmp, udp.DOMAIN_NAME, transport)
    config.add_v3_user(snmp, "guest")
    config.add_v3_user(snmp, "reader", config.USM_AUTH_HMAC192_SHA256, "a long password")
    config.add_vacm_user(snmp, 3, "guest", "noAuthNoPriv", (1, 3, 6), (1, 3, 6))
    config.add_vacm_user(snmp, 3, "reader", "authNoPriv", (1, 3, 6), (1, 3, 6))
    where = context.SnmpContext(snmp)
    cmdrsp.GetCommandResponder(snmp, where)
    cmdrsp.BulkCommandResponder(snmp, where)
    while transport.transport is None:
        await asyncio.sleep(0.01)
    try:
        port = transport.transport.get_extra_info("sockname")[1]
        yield Address.parse(f"snmp://127.0.0.1:{port}")
    finally:
        snmp.close_dispatcher()
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    "auth",
    [
        {"snmp": "3", "user": "guest"},
        {"snmp": "3", "user": "reader", "auth": "sha256", "auth_password": "env:PASSWORD"},
    ],
)
async def test_a_user_reads(auth, monkeypatch):
    monkeypatch.setenv("PASSWORD", "a long password")
    async with agent() as address:
        client = SnmpClient(address, auth, 2.0)
        await client.open()
        assert b"PySNMP" in (await client.get([DESCRIPTION], 1))[DESCRIPTION]
        assert len(await client.walk("1.3.6.1.2.1.1", 10)) >= 6
        await client.close()


async def test_a_wrong_password_is_access_denied(monkeypatch):
    monkeypatch.setenv("PASSWORD", "not this one")
    auth = {"snmp": "3", "user": "reader", "auth": "sha256", "auth_password": "env:PASSWORD"}
    async with agent() as address:
        client = SnmpClient(address, auth, 2.0)
        await client.open()
        with pytest.raises(AccessDenied, match="refuses us"):
            await client.get([DESCRIPTION], 1)
        await client.close()
