"""What any host on the network can send to a poll with SNMPv3: unsigned reports, other engines, giant identifiers."""

import pytest
from pyasn1.codec.ber import encoder
from pysnmp.proto import rfc1902, rfc1905
from pysnmp.proto.api import v2c

from collectors.contract.address import Address
from collectors.device.secret import Secret
from collectors.errors import AccessDenied, BadAnswer, ConfigError, UnsignedRefusal
from collectors.polling.poller import LOST_AFTER
from collectors.profiles.registry import find
from collectors.protocols.snmp import ber, usm
from collectors.protocols.snmp.auth import Usm, sign_in
from collectors.protocols.snmp.client import SnmpClient
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.plan import columns_of, make_plan
from collectors.protocols.snmp.usm import OLD, Untrusted, UsmSession
from tests.collectors.polling.test_poller import FakeDriver, Kept, World, poller_of
from tests.collectors.snmp.test_snmp_v3 import DESCRIPTION, agent
from tests.udp_proxy import proxied

ENGINE = b"\x80\x00\x00\x00\x05the-one"
OTHER = b"\x80\x00\x00\x00\x05forgery"
AUTH = {"snmp": "3", "user": "reader", "auth": "sha256", "auth_password": "env:AUTH"}
USER = Usm("reader", "sha256", Secret("a long password"))
WRONG_DIGEST, UNKNOWN_ENGINE = "1.3.6.1.6.3.15.1.1.5.0", "1.3.6.1.6.3.15.1.1.4.0"


@pytest.fixture(autouse=True)
def passwords(monkeypatch):
    monkeypatch.setenv("AUTH", "a long password")


def report(oid: str, message_id: int, engine_id: bytes = ENGINE) -> bytes:
    """A report that nobody has signed."""
    pdu = rfc1905.ReportPDU()
    v2c.apiPDU.set_defaults(pdu)
    v2c.apiPDU.set_varbinds(pdu, [(oid, rfc1902.Counter32(1))])
    forger = UsmSession(Usm("reader"))
    forger.bind_engine(engine_id, 1, 0)
    return forger.request(message_id, bytes(encoder.encode(pdu)))


def message_id(datagram: bytes, session: UsmSession) -> int:
    return session.read(datagram).message_id


@pytest.fixture
def reading() -> UsmSession:
    """Who can read the agent's answers, as its user can."""
    session = UsmSession(USER)
    session.bind_engine(ENGINE, 1, 0)
    return session


@pytest.mark.anyio
@pytest.mark.parametrize("oid", [WRONG_DIGEST, UNKNOWN_ENGINE])
async def test_an_unsigned_report_does_not_end_a_request(oid, reading):
    async with agent("sha256", engine_id=ENGINE) as address, proxied(address.port) as proxy:
        client = client_for(Address.parse(proxy.url), AUTH, 2.0)
        await client.open()
        proxy.to_client = lambda n, data: [(0.0, report(oid, message_id(data, reading), OTHER)), (0.0, data)]
        for _ in range(3):
            assert b"PySNMP" in (await client.get([DESCRIPTION], 1))[DESCRIPTION]
        await client.close()


@pytest.mark.anyio
async def test_an_unsigned_report_alone_is_a_refusal_that_may_be_tried_again(reading):
    async with agent("sha256", engine_id=ENGINE) as address, proxied(address.port) as proxy:
        client = client_for(Address.parse(proxy.url), AUTH, 0.2)
        await client.open()
        proxy.to_client = lambda n, data: [(0.0, report(WRONG_DIGEST, message_id(data, reading)))]
        with pytest.raises(UnsignedRefusal, match="wrong signature") as caught:
            await client.get([DESCRIPTION], 1)
        assert caught.value.retryable
        proxy.to_client = lambda n, data: [(0.0, data)]
        assert await client.get([DESCRIPTION], 1)
        await client.close()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("error", "pauses"), [(UnsignedRefusal("x"), [False, False, True]), (AccessDenied("x"), [True, True, True])]
)
async def test_a_device_is_asked_again_before_it_is_left_alone_for_five_minutes(error, pauses):
    world, kept = World(0), Kept()
    poller = poller_of(FakeDriver(world, [error] * LOST_AFTER), world, kept)
    found = []
    for tick_ms in (0, 10_000, 20_000):
        await poller.poll(tick_ms)
        found.append(poller._pause_s() > 200.0)
    assert found == pauses


@pytest.mark.anyio
async def test_a_discovery_that_another_host_answers_does_not_replace_a_known_engine(reading):
    async with agent("sha256", engine_id=ENGINE) as address, proxied(address.port) as proxy:
        client = client_for(Address.parse(proxy.url), AUTH, 0.4)
        await client.open()
        assert await client.get([DESCRIPTION], 1)
        await client.close()
        seen: list[int] = []

        def forge(_: int, data: bytes) -> list[tuple[float, bytes]]:
            message = reading.read(data)
            seen.append(message.level)
            forged = report(UNKNOWN_ENGINE, message.message_id, OTHER)
            return [(0.0, forged), (0.0, data)] if message.level > 1 else [(0.0, forged)]

        proxy.to_client = forge
        await client.open()
        assert await client.get([DESCRIPTION], 1)
        assert seen == [2]  # no discovery
        await client.close()


def session_at(boots: int, time_s: int) -> UsmSession:
    session = UsmSession(USER)
    session.bind_engine(ENGINE, boots, time_s)
    return session


def test_an_engine_whose_count_of_restarts_is_at_its_end_is_refused():
    """RFC 3414 3.2 step 7 b: the local notion of snmpEngineBoots is 2147483647."""
    ours = session_at(2147483646, 0)
    assert ours.read(session_at(2147483646, 5).request(1, b"\xa2\x00")).boots == 2147483646
    for _ in range(2):
        with pytest.raises(Untrusted, match="at its end") as caught:
            ours.read(session_at(2147483647, 5).request(1, b"\xa2\x00"))
        assert caught.value.code == OLD


def test_a_clock_that_runs_slower_than_ours_does_not_fall_out_of_the_window(monkeypatch):
    """RFC 3414 3.2 step 7 b 1: a time after the latest one received is the engine's time, although it is behind ours.

    In 1,000 s the engine counts 900 s. After 2,000 s it is 200 s behind the first time and what passed here since.
    """
    ours = session_at(1, 100)
    for n in range(3):
        monkeypatch.setattr(usm.time, "monotonic", lambda n=n: 50_000.0 + 1_000 * n)
        assert ours.read(session_at(1, 100 + 900 * n).request(1, b"\xa2\x00")).time_s == 100 + 900 * n
    with pytest.raises(Untrusted):
        ours.read(session_at(1, 1_700).request(1, b"\xa2\x00"))


@pytest.mark.parametrize("field", ["auth_password", "priv_password"])
def test_a_password_of_fewer_than_eight_characters_is_refused(field, monkeypatch):
    monkeypatch.setenv("SHORT", "1234567")
    auth = AUTH | {"priv": "aes128", "priv_password": "env:AUTH"} | {field: "env:SHORT"}
    with pytest.raises(ConfigError, match=f"{field} has fewer than 8 characters") as caught:
        sign_in(auth)
    assert caught.value.code == "short_password"
    assert "1234567" not in caught.value.explanation


def varbind(oid: bytes, value: bytes = b"\x05\x00") -> bytes:
    return ber.encoded(ber.SEQUENCE, ber.encoded(ber.SEQUENCE, ber.encoded(ber.OBJECT_ID, oid) + value))


@pytest.mark.parametrize(
    "oid",
    [
        b"\x2b" + b"\xff" * 5 + b"\x7f",  # an arc of 42 bits
        b"\x2b" + b"\xff" * 60_000 + b"\x7f",  # more digits than Python converts
        b"\xff" * 6 + b"\x7f",
        b"\x2b" * 129,
        b"",
        b"\x2b\x86",
    ],
    ids=lambda oid: f"{len(oid)} octets",
)
def test_a_giant_object_identifier_is_malformed(oid):
    for data in (varbind(oid), varbind(b"\x2b", ber.encoded(ber.OBJECT_ID, oid))):
        with pytest.raises(ber.Malformed):
            ber.varbinds(data, 0, len(data))


def test_the_largest_arc_is_read():
    """RFC 2578 3.5: at most 128 arcs, each at most 4294967295 = 0x8f ff ff ff 7f in base 128."""
    data = varbind(b"\x2b" + b"\x8f\xff\xff\xff\x7f" * 126)
    ((oid, _, _),) = ber.varbinds(data, 0, len(data))
    assert oid == "1.3" + ".4294967295" * 126


def test_caches_hold_short_identifiers_only():
    ber._short_dotted.cache_clear()
    ber._cached_list.cache_clear()
    for n in range(20):
        long = varbind(b"\x2b" + bytes((n,)) * 100, ber.encoded(ber.OBJECT_ID, bytes((n,)) * 60))
        ber.varbinds(long, 0, len(long))
        ber.encoded_pdu(ber.GET, 1, 0, 0, ["1.3" + ".4294967295" * 100] * 4)
    assert (ber._short_dotted.cache_info().currsize, ber._cached_list.cache_info().currsize) == (0, 0)


class Rows(SnmpClient):
    """An agent that has a next row for every row, each with a text of `size` octets."""

    def __init__(self, size: int) -> None:
        super().__init__(Address.parse("snmp://127.0.0.1"), 1.0, 1e9)
        self.text, self.row = b"x" * size, 0

    async def _request(self, kind, oids, second=0, third=0):
        first, self.row = self.row, self.row + third
        return ber.Response(1, 0, [(f"1.3.{n}", ber.OCTETS, self.text) for n in range(first, self.row)])


@pytest.mark.anyio
@pytest.mark.parametrize("size", [1, 60_000])
async def test_a_table_without_end_is_refused_by_rows_or_bytes(size):
    client = Rows(size)
    with pytest.raises(BadAnswer) as caught:
        await client.walk("1.3", 50)
    assert caught.value.code == "endless_walk"
    assert client.row * size < 18 * 2**20


def test_a_name_of_an_outlet_is_one_short_line():
    profile = find("apc-rpdu2")
    name = b"a\x1b[31m\n" + b"x" * 65_000
    columns = {oid: {"1": name if oid.endswith(".3") else 1} for oid in columns_of(profile)}
    plan = make_plan(profile, columns)
    labels = {cell.series.label for cells in plan.groups.values() for cell in cells}
    assert {len(label) for label in labels} <= {0, 200}
    assert any(label.startswith("a [31m xx") for label in labels)
