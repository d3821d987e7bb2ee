"""SNMPv3 against pysnmp's own engine: discovery, users, every way to sign and to encrypt, contexts, forged and old
answers, IPv6, a device that was swapped or restarted."""

import asyncio
import socket
import tomllib
from collections.abc import Mapping
from contextlib import asynccontextmanager

import pytest
from pyasn1.codec.ber import decoder, encoder
from pysnmp.carrier.asyncio.dgram import udp, udp6
from pysnmp.entity import config, engine
from pysnmp.entity.rfc3413 import cmdrsp, context
from pysnmp.proto import rfc1902, rfc1905
from pysnmp.proto.api import v2c
from pysnmp.proto.mpmod.rfc3412 import SNMPv3Message
from pysnmp.proto.secmod.rfc3414.service import UsmSecurityParameters

from collectors.contract.address import Address
from collectors.device.secret import Secret
from collectors.errors import AccessDenied, BadAnswer, ConfigError, DeviceError, Unreachable
from collectors.polling.drivers import identify
from collectors.protocols.snmp.auth import Usm
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.protocols.snmp.usm import OLD, Untrusted, UsmSession, localized, password_key
from collectors.tools.discover_devices import discover, facility_toml
from collectors.tools.record_device import record
from tests.collectors.agents import apc_rows, by_key, snmp_device
from tests.snmprec_agent import SnmprecAgent
from tests.udp_proxy import proxied

pytestmark = pytest.mark.anyio
DESCRIPTION = "1.3.6.1.2.1.1.1.0"
POWER = "1.3.6.1.4.1.99999.1"
AUTH = {
    "md5": config.USM_AUTH_HMAC96_MD5,
    "sha1": config.USM_AUTH_HMAC96_SHA,
    "sha224": config.USM_AUTH_HMAC128_SHA224,
    "sha256": config.USM_AUTH_HMAC192_SHA256,
    "sha384": config.USM_AUTH_HMAC256_SHA384,
    "sha512": config.USM_AUTH_HMAC384_SHA512,
}
PRIV = {
    "des": config.USM_PRIV_CBC56_DES,
    "aes128": config.USM_PRIV_CFB128_AES,
    "aes192": config.USM_PRIV_CFB192_AES_BLUMENTHAL,
    "aes256": config.USM_PRIV_CFB256_AES_BLUMENTHAL,
    "aes192c": config.USM_PRIV_CFB192_AES,
    "aes256c": config.USM_PRIV_CFB256_AES,
}


class Module:
    """A part of a device that has a context of its own: one number, below which a row of two."""

    def __init__(self, power: int) -> None:
        self.power = power

    def read_variables(self, *pairs, **_):
        return [(oid, rfc1902.Gauge32(self.power)) for oid, _ in pairs]

    def read_next_variables(self, *pairs, **_):
        return [
            ((*oid, 1), rfc1902.Gauge32(self.power)) if str(oid) == POWER else (oid, rfc1905.endOfMibView)
            for oid, _ in pairs
        ]


class Rows:
    """A device's rows, as `SnmprecAgent` serves them."""

    def __init__(self, rows) -> None:
        self._agent = SnmprecAgent(rows)

    def read_variables(self, *pairs, **_):
        return [(oid, self._agent._value(tuple(oid))) for oid, _ in pairs]

    def read_next_variables(self, *pairs, **_):
        return [self._agent._after(tuple(oid), 1)[0] for oid, _ in pairs]


@asynccontextmanager
async def agent(
    auth: str = "",
    priv: str = "",
    host: str = "127.0.0.1",
    port: int = 0,
    engine_id: bytes | None = None,
    boots: int | None = None,
    contexts: Mapping[str, Module | Rows] | None = None,
):
    """An agent with the user `reader`; yields its address."""
    snmp = engine.SnmpEngine()
    if boots is not None:
        (counted,) = snmp.get_mib_builder().import_symbols("__SNMP-FRAMEWORK-MIB", "snmpEngineBoots")
        counted.syntax = counted.syntax.clone(boots)
    if engine_id is not None:
        (symbol,) = snmp.get_mib_builder().import_symbols("__SNMP-FRAMEWORK-MIB", "snmpEngineID")
        symbol.syntax = symbol.syntax.clone(engine_id)
        snmp.snmpEngineID = symbol.syntax
    kind = udp6.Udp6AsyncioTransport if ":" in host else udp.UdpAsyncioTransport
    transport = kind().open_server_mode((host, port))
    config.add_transport(snmp, udp6.DOMAIN_NAME if ":" in host else udp.DOMAIN_NAME, transport)
    config.add_v3_user(
        snmp,
        "reader",
        AUTH.get(auth, config.USM_AUTH_NONE),
        "a long password" if auth else None,
        PRIV.get(priv, config.USM_PRIV_NONE),
        "another password" if priv else None,
    )
    level = "authPriv" if priv else "authNoPriv" if auth else "noAuthNoPriv"
    config.add_vacm_user(snmp, 3, "reader", level, (1, 3, 6), (1, 3, 6))
    where = context.SnmpContext(snmp)
    for name, module in (contexts or {}).items():
        if name:
            config.add_vacm_user(snmp, 3, "reader", level, (1, 3, 6), (1, 3, 6), contextName=name.encode())
        else:
            where.unregister_context_name(b"")
        where.register_context_name(name.encode(), module)
    cmdrsp.GetCommandResponder(snmp, where)
    cmdrsp.NextCommandResponder(snmp, where)
    cmdrsp.BulkCommandResponder(snmp, where)
    while transport.transport is None:
        await asyncio.sleep(0.01)
    try:
        opened = transport.transport.get_extra_info("sockname")[1]
        shown = f"[{host}]" if ":" in host else host
        yield Address.parse(f"snmp://{shown}:{opened}")
    finally:
        snmp.close_dispatcher()
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def passwords(monkeypatch):
    monkeypatch.setenv("AUTH", "a long password")
    monkeypatch.setenv("PRIV", "another password")


def sign_in(auth: str = "", priv: str = "", **more) -> dict:
    found = {"snmp": "3", "user": "reader"}
    if auth:
        found |= {"auth": auth, "auth_password": "env:AUTH"}
    if priv:
        found |= {"priv": priv, "priv_password": "env:PRIV"}
    return found | more


async def reads(address: Address, auth: dict) -> None:
    client = client_for(address, auth, 2.0)
    await client.open()
    assert b"PySNMP" in (await client.get([DESCRIPTION], 1))[DESCRIPTION]
    assert len(await client.walk("1.3.6.1.2.1.1", 10)) >= 6
    await client.close()


STRONG = [("sha1", p) for p in ("aes128", "aes192", "aes256", "aes192c", "aes256c")]
STRONG += [("sha512", "aes256"), ("sha224", "aes192"), ("sha224", "aes256c")]


@pytest.mark.parametrize(
    ("auth", "priv"),
    [("", ""), *((a, "") for a in AUTH if a != "md5"), *STRONG, ("sha256", "aes128"), ("sha384", "aes256")],
)
async def test_every_way_to_sign_and_to_encrypt(auth, priv):
    async with agent(auth, priv) as address:
        await reads(address, sign_in(auth, priv))


@pytest.mark.parametrize(("auth", "priv"), [("md5", ""), ("md5", "des"), ("sha1", "des")])
async def test_what_is_weak_only_when_it_is_allowed(auth, priv):
    async with agent(auth, priv) as address:
        with pytest.raises(ConfigError, match="is not safe") as caught:
            client_for(address, sign_in(auth, priv), 2.0)
        assert "allow_weak" in caught.value.hint
        await reads(address, sign_in(auth, priv, allow_weak=True))


async def test_encryption_without_signing_is_refused():
    with pytest.raises(ConfigError, match="does not encrypt without authentication"):
        client_for(Address.parse("snmp://127.0.0.1"), sign_in(priv="aes128"), 2.0)


async def description(address: Address, auth: dict) -> dict:
    client = client_for(address, auth, 0.6)
    await client.open()
    try:
        return await client.get([DESCRIPTION], 1)
    finally:
        await client.close()


@pytest.mark.parametrize(
    ("change", "suggested_fix"),
    [
        ({"auth_password": "env:PRIV"}, "check auth.auth_password and auth.auth"),
        ({"priv_password": "env:AUTH"}, "check auth.priv_password and auth.priv"),
        ({"user": "nobody"}, "check auth.user"),
        ({"auth": "sha512"}, "check auth.auth_password and auth.auth"),
    ],
    ids=["password", "encryption", "user", "algorithm"],
)
async def test_who_is_not_let_in_is_reported_so(change, suggested_fix):
    async with agent("sha256", "aes128") as address:
        with pytest.raises(AccessDenied, match="denies access") as caught:
            await description(address, sign_in("sha256", "aes128") | change)
    assert caught.value.hint == suggested_fix


async def test_less_than_the_user_needs_reads_nothing():
    async with agent("sha256", "aes128") as address:
        with pytest.raises(DeviceError):
            await description(address, sign_in("sha256"))


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


async def test_an_agent_on_ipv6():
    if not has_ipv6():
        pytest.skip("this machine has no ::1")
    async with agent("sha256", "aes128", host="::1") as address:
        assert address.host == "::1"
        await reads(address, sign_in("sha256", "aes128"))


async def test_a_device_that_was_swapped_has_another_engine():
    auth = sign_in("sha256", "aes128")
    async with agent("sha256", "aes128", engine_id=b"\x80\x00\x00\x00\x05first-one") as address:
        client = client_for(address, auth, 0.6)
        await client.open()
        assert await client.get([DESCRIPTION], 1)
    async with agent("sha256", "aes128", port=address.port, engine_id=b"\x80\x00\x00\x00\x05second-one"):
        assert await client.get([DESCRIPTION], 1)
        assert len(await client.walk("1.3.6.1.2.1.1", 10)) >= 6
    await client.close()


async def test_a_device_is_read_as_with_v2c():
    """A tenth of a kilowatt is 100 W: 1140 W at the inlet, 100, 200, ... W at the outlets."""
    async with agent("sha256", "aes128", contexts={"": Rows(apc_rows(outlets=30))}) as address:
        device = snmp_device(address.url, auth=sign_in("sha256", "aes128"), timeout_s=2.0)
        apc = SnmpDriver(device, await identify(device))
        await apc.open()
        (frame,) = (await apc.read({"main"})).frames
        await apc.close()
    values = by_key(frame)
    assert apc.model == "AP8659"
    assert values["inlet:power"] == 1140.0
    assert [values[f"outlet/{n}:power"] for n in (1, 30)] == [100.0, 3000.0]


async def test_a_device_is_recorded_for_a_bug_report():
    auth = sign_in("sha1", "aes256c")
    async with agent("sha1", "aes256c", contexts={"": Rows(apc_rows(outlets=3))}) as address:
        recording = await record(address.url, auth, packets_s=1000)
    assert recording.profile == "apc-rpdu2"
    assert len(recording.lines) == len(apc_rows(outlets=3))
    assert "1.3.6.1.4.1.318.1.1.26.4.3.1.5.1|2|114" in recording.lines


async def test_a_device_of_a_range_is_found_with_its_user():
    auth = sign_in("sha256", "aes128")
    async with agent("sha256", "aes128", host="127.0.0.19", contexts={"": Rows(apc_rows())}) as address:
        hosts = ["127.0.0.18", "127.0.0.19"]
        found = [one async for one in discover(hosts, auth, address.port, hosts_a_second=1000, timeout_s=1.0)]
    assert [(one.host, one.profile, one.model) for one in found] == [("127.0.0.19", "apc-rpdu2", "AP8659")]
    written = tomllib.loads(facility_toml(found, "lab", auth | {"allow_weak": True}, address.port))
    assert written["auth"]["discovered"] == auth | {"allow_weak": True}


# ---- contexts ------------------------------------------------------------------------------


MODULES = {"bank-a": Module(1200), "bank-b": Module(3400)}


@pytest.mark.parametrize(("auth", "priv"), [("", ""), ("sha256", ""), ("sha256", "aes128")])
@pytest.mark.parametrize(("name", "power_w"), [("bank-a", 1200), ("bank-b", 3400)])
async def test_each_context_answers_for_itself(auth, priv, name, power_w):
    async with agent(auth, priv, contexts=MODULES) as address:
        client = client_for(address, sign_in(auth, priv, context=name), 1.0)
        await client.open()
        assert await client.get([f"{POWER}.7"], 1) == {f"{POWER}.7": power_w}
        assert await client.walk(POWER, 10) == {"1": power_w}
        assert await client.next(POWER) == f"{POWER}.1"
        await client.close()


async def test_a_context_of_an_engine_that_is_named():
    identity = b"\x80\x00\x00\x00\x05the-one"
    async with agent("sha256", engine_id=identity, contexts=MODULES) as address:
        told = sign_in("sha256", context="bank-b", context_engine=identity.hex())
        assert await description(address, told) == {DESCRIPTION: 3400}
        told["context_engine"] = "8000000005ffffffff"
        with pytest.raises(AccessDenied) as caught:
            await description(address, told)
        assert caught.value.hint == "check auth.context_engine"


async def test_a_context_that_the_agent_passes_over_in_silence():
    """As Net-SNMP 5.9 does, with what it cannot decrypt too: it says which engine it is and no more."""
    async with agent("sha256", contexts=MODULES) as address, proxied(address.port) as proxy:
        proxy.to_client = lambda n, data: [(0.0, data)] if n == 0 else []
        with pytest.raises(Unreachable) as caught:
            await description(Address.parse(proxy.url), sign_in("sha256", context="bank-c"))
    assert "auth.priv_password, auth.priv and auth.context" in caught.value.hint


@pytest.mark.parametrize(
    ("told", "match"),
    [
        ({"snmp": "2c", "context": "bank-a"}, "SNMP 2c has no context"),
        ({"snmp": "3", "user": "reader", "context_engine": "xyz"}, "'xyz' is not an engine id"),
        ({"snmp": "3", "user": "reader", "context_engine": "8000"}, "'8000' is not an engine id"),
    ],
)
def test_a_context_that_cannot_be(told, match):
    with pytest.raises(ConfigError, match=match):
        client_for(Address.parse("snmp://127.0.0.1"), told, 1.0)


# ---- answers that are not the device's -----------------------------------------------------


def unsigned(data: bytes, text: bytes = b"PySNMP") -> bytes:
    """The same answer, its signature taken away and its text another."""
    message, _ = decoder.decode(data.replace(text, b"forged"), asn1Spec=SNMPv3Message())
    security, _ = decoder.decode(bytes(message[2]), asn1Spec=UsmSecurityParameters())
    security[4] = b""
    message[1][2] = b"\x00"
    message[2] = encoder.encode(security)
    return bytes(encoder.encode(message))


@pytest.mark.parametrize(
    ("change", "error", "code"),
    [
        (lambda data: data.replace(b"PySNMP", b"forged"), BadAnswer, "bad_signature"),
        (lambda data: data[:-1], BadAnswer, "bad_answer"),
        (unsigned, Unreachable, "device_timeout"),
    ],
    ids=["altered", "cut", "unsigned"],
)
async def test_an_answer_that_is_not_signed_by_the_device_is_no_reading(change, error, code):
    async with agent("sha256") as address, proxied(address.port) as proxy:
        client = client_for(Address.parse(proxy.url), sign_in("sha256"), 0.4)
        await client.open()
        assert b"PySNMP" in (await client.get([DESCRIPTION], 1))[DESCRIPTION]
        proxy.to_client = lambda n, data: [(0.0, change(data))]
        with pytest.raises(error) as caught:
            await client.get([DESCRIPTION], 1)
        assert caught.value.code == code
        proxy.to_client = lambda n, data: [
            (0.0, change(data)),
            (0.0, data),
        ]  # who adds his own does not end the question
        assert b"PySNMP" in (await client.get([DESCRIPTION], 1))[DESCRIPTION]
        await client.close()


async def test_an_answer_that_is_repeated_is_no_reading():
    async with agent("sha256", "aes128") as address, proxied(address.port) as proxy:
        client = client_for(Address.parse(proxy.url), sign_in("sha256", "aes128"), 0.3)
        await client.open()
        kept: list[bytes] = []
        proxy.to_client = lambda n, data: kept.append(data) or [(0.0, data)]
        assert await client.get([DESCRIPTION], 1)
        proxy.to_client = lambda n, data: [(0.0, kept[0])]
        with pytest.raises(Unreachable):
            await client.get([DESCRIPTION], 1)
        await client.close()


async def test_a_restarted_device_has_another_time():
    identity = b"\x80\x00\x00\x00\x05the-one"
    auth = sign_in("sha256", "aes128")
    async with agent("sha256", "aes128", engine_id=identity, boots=3) as address:
        client = client_for(address, auth, 1.0)
        await client.open()
        assert await client.get([DESCRIPTION], 1)
    async with agent("sha256", "aes128", port=address.port, engine_id=identity, boots=9):
        assert await client.get([DESCRIPTION], 1)
    await client.close()


@pytest.mark.parametrize(
    ("auth", "priv", "key"),
    [
        ("sha1", "aes192", "9d76ec0e034072ce9fd2a1c694c75ad811aa7ef7d236cd8d"),
        ("sha1", "aes256", "9d76ec0e034072ce9fd2a1c694c75ad811aa7ef7d236cd8d9a8073bbe47f3ac7"),
        ("sha1", "aes192c", "9d76ec0e034072ce9fd2a1c694c75ad811aa7ef7dadc264f"),
        ("sha1", "aes256c", "9d76ec0e034072ce9fd2a1c694c75ad811aa7ef7dadc264f1d4d85c2a5df777a"),
        ("sha224", "aes256c", "4ad8475c6d111d075abd8e242d59805c2ac13a7a5a4ea171119407e65ca7ddde"),
        ("sha256", "aes256", "fe1363641d0e244b68338fac5650c6a639a815d1d7de6b5dbe46e03cddf47e28"),
        ("sha256", "aes256c", "fe1363641d0e244b68338fac5650c6a639a815d1d7de6b5dbe46e03cddf47e28"),
    ],
)
def test_keys_are_those_that_net_snmp_makes(auth, priv, key):
    """What snmpd 5.9.3 wrote into its usmUser lines for `createUser … SHA maplesyrup AES-256 maplesyrup` and so on."""
    channel = UsmSession(Usm("reader", auth, Secret("maplesyrup"), priv, Secret("maplesyrup")))
    channel.bind_engine(bytes.fromhex("80001f8880e9bd0c1d12667a51"), 1, 0)
    assert bytes(channel._encrypt).hex() == key


@pytest.mark.parametrize(("ours", "theirs"), [("aes256", "aes256c"), ("aes192c", "aes192")])
async def test_the_other_way_to_make_a_key_reads_nothing_and_is_named(ours, theirs):
    async with agent("sha1", theirs) as address:
        with pytest.raises(DeviceError) as caught:
            await description(address, sign_in("sha1", ours))
    assert caught.value.hint.endswith(f"the device may derive its key differently: try {theirs}")


def test_keys_of_rfc_3414_a_3():
    engine_id = bytes.fromhex("000000000000000000000002")
    md5, sha1 = password_key("maplesyrup", "md5"), password_key("maplesyrup", "sha1")
    assert md5.hex() == "9faf3283884e92834ebc9847d8edd963"
    assert localized(md5, engine_id, "md5").hex() == "526f5eed9fcce26f8964c2930787d82b"
    assert sha1.hex() == "9fb5cc0381497b3793528939ff788d5d79145211"
    assert localized(sha1, engine_id, "sha1").hex() == "6695febc9288e36282235fc7151f128497b38f3f"


def test_what_is_older_than_the_time_window_is_refused():
    """RFC 3414 3.2.7: once the time is vouched for, 150 s late or a boot earlier is too old, 149 s late is not."""
    user = Usm("reader", "sha256", Secret("a long password"))
    ours, theirs = UsmSession(user), UsmSession(user)

    def said(boots: int, time_s: int) -> bytes:
        theirs.bind_engine(b"\x80\x00\x00\x00\x05the-one", boots, time_s)
        return theirs.request(1, b"\xa2\x00")

    ours.bind_engine(b"\x80\x00\x00\x00\x05the-one", 9, 90_000)
    assert ours.read(said(5, 1000)).time_s == 1000  # the first that is signed is believed
    assert ours.read(said(5, 860)).level == 2
    for boots, time_s in ((5, 700), (4, 9999)):
        with pytest.raises(Untrusted) as caught:
            ours.read(said(boots, time_s))
        assert caught.value.code == OLD
    assert ours.read(said(6, 1)).boots == 6


# ---- what an agent reports -----------------------------------------------------------------


REPORTS = [
    ("1.3.6.1.6.3.15.1.1.1.0", AccessDenied, "check auth.auth and auth.priv"),  # usmStatsUnsupportedSecLevels
    ("1.3.6.1.6.3.15.1.1.2.0", AccessDenied, "restart its SNMP service"),  # usmStatsNotInTimeWindows, for ever
    ("1.3.6.1.6.3.15.1.1.3.0", AccessDenied, "check auth.user"),  # usmStatsUnknownUserNames
    ("1.3.6.1.6.3.15.1.1.4.0", AccessDenied, "restart its SNMP service"),  # usmStatsUnknownEngineIDs, for ever
    ("1.3.6.1.6.3.15.1.1.5.0", AccessDenied, "check auth.auth_password and auth.auth"),  # usmStatsWrongDigests
    ("1.3.6.1.6.3.15.1.1.6.0", AccessDenied, "check auth.priv_password and auth.priv"),  # usmStatsDecryptionErrors
    ("1.3.6.1.6.3.12.1.4.0", AccessDenied, "check the module that auth.context names"),  # snmpUnavailableContexts
    ("1.3.6.1.6.3.12.1.5.0", AccessDenied, "check auth.context"),  # snmpUnknownContexts
    ("1.3.6.1.6.3.11.2.1.3.0", AccessDenied, "check auth.context_engine"),  # snmpUnknownPDUHandlers
    ("1.3.6.1.6.3.11.2.1.2.0", BadAnswer, ""),  # snmpInvalidMsgs
]


@pytest.mark.parametrize(("oid", "error", "suggested_fix"), REPORTS)
async def test_what_an_agent_reports_is_named_with_its_fix(oid, error, suggested_fix):
    identity = b"\x80\x00\x00\x00\x05the-one"
    answering = UsmSession(Usm("reader", "sha256", Secret("a long password")))
    answering.bind_engine(identity, 1, 0)
    report = rfc1905.ReportPDU()
    v2c.apiPDU.set_defaults(report)
    v2c.apiPDU.set_varbinds(report, [(oid, rfc1902.Counter32(1))])
    pdu = bytes(encoder.encode(report))

    def instead(_: int, data: bytes) -> list[tuple[float, bytes]]:
        message = answering.read(data)
        return [(0.0, data if message.level == 1 else answering.request(message.message_id, pdu))]

    async with agent("sha256", engine_id=identity) as address, proxied(address.port) as proxy:
        proxy.to_client = instead
        with pytest.raises(error) as caught:
            await description(Address.parse(proxy.url), sign_in("sha256"))
    assert caught.value.hint == suggested_fix
