"""What can go wrong between an SNMP device and the driver, over real UDP: no crash, no false reading, the right
error."""

import asyncio
import math
import random
from contextlib import AsyncExitStack

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyasn1.codec.ber import decoder, encoder
from pysnmp.proto.api import PROTOCOL_MODULES
from pysnmp.proto.rfc1902 import ObjectIdentifier
from pysnmp.proto.rfc1905 import noSuchObject

from app.domain.energy.registers import counter_energy
from collectors.errors import BadAnswer, DeviceError, Unreachable
from collectors.profiles.decoding import decode
from collectors.profiles.points import ProfileColumn
from collectors.profiles.profile import SnmpProfile, parse
from collectors.profiles.registry import find
from collectors.protocols.snmp import ber
from collectors.protocols.snmp import client as snmp_client
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.driver import SnmpDriver, cell_value
from collectors.protocols.snmp.plan import make_plan
from tests.collectors.agents import APC, INTEGER, STRING, TICKS, UPTIME, apc_rows, by_key, snmp_device
from tests.collectors.snmp.test_snmp_v3 import Rows, sign_in
from tests.collectors.snmp.test_snmp_v3 import agent as v3_agent
from tests.snmprec_agent import serving
from tests.udp_proxy import proxied

pytestmark = pytest.mark.anyio
MAIN = {"main"}
POWER = f"{APC}.4.3.1.5.1"
DESCRIPTION = "1.3.6.1.2.1.1.1.0"
NAMED = {"device_timeout", "access_denied", "bad_answer", "network_error"}


def driver(url: str, **options) -> SnmpDriver:
    return SnmpDriver(snmp_device(url, **options), find("apc-rpdu2"))


async def read(apc: SnmpDriver) -> dict[str, float]:
    return by_key((await apc.read(MAIN)).frames[0])


# ---- datagrams ---------------------------------------------------------------------------


@pytest.mark.parametrize("towards", ["to_server", "to_client"])
async def test_one_lost_datagram_is_asked_for_again(towards):
    async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
        apc = driver(proxy.url)
        await apc.open()
        lost = []
        setattr(proxy, towards, lambda n, data: [(0.0, data)] if lost else lost.append(n) or [])
        assert (await read(apc))["inlet:power"] == 1140.0
    assert len(lost) == 1


async def test_every_datagram_lost_is_a_device_that_does_not_answer():
    async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
        apc = driver(proxy.url)
        await apc.open()
        proxy.to_client = lambda n, data: []
        with pytest.raises(Unreachable) as caught:
            await apc.read(MAIN)
    assert caught.value.code == "device_timeout"


async def test_answers_that_come_twice_are_read_once():
    async with serving(apc_rows(outlets=40)) as agent, proxied(agent.port) as proxy:
        proxy.to_client = lambda n, data: [(0.0, data), (0.0, data)]
        apc = driver(proxy.url)
        await apc.open()
        for power in (114, 120, 131):
            agent.set(POWER, INTEGER, power)
            values = await read(apc)
            assert (values["inlet:power"], values["outlet/40:power"]) == (10.0 * power, 4000.0)


async def test_an_answer_that_comes_too_late_is_not_the_answer_to_the_next_question():
    async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
        apc = driver(proxy.url, timeout_s=0.2)
        await apc.open()
        await read(apc)
        proxy.to_client = lambda n, data: [(0.3, data)]
        with pytest.raises(Unreachable):
            await read(apc)  # its answers are on their way while the next poll asks
        proxy.to_client = lambda n, data: [(0.0, data)]
        agent.set(POWER, INTEGER, 200)
        values = []
        for _ in range(5):
            values.append((await read(apc))["inlet:power"])
            await asyncio.sleep(0.05)
    assert values == [2000.0] * 5


async def test_answers_that_overtake_each_other():
    random.seed(4)
    async with serving(apc_rows(outlets=60)) as agent, proxied(agent.port) as proxy:
        proxy.to_client = lambda n, data: [(random.choice([0.0, 0.01, 0.02]), data), (0.03, data)]
        apc = driver(proxy.url)
        await apc.open()
        values = await read(apc)
    assert [values[f"outlet/{n}:power"] for n in (1, 30, 60)] == [100.0, 3000.0, 6000.0]


@pytest.mark.parametrize("length", [0, 1, 2, 10, 40, -1])
async def test_a_truncated_answer(length):
    async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
        apc = driver(proxy.url, timeout_s=0.1)
        await apc.open()
        proxy.to_client = lambda n, data: [(0.0, data[:length])]
        with pytest.raises((BadAnswer, Unreachable)):
            await apc.read(MAIN)
        proxy.to_client = lambda n, data: [(0.0, data)]
        assert (await read(apc))["inlet:power"] == 1140.0


def other_request_id(data: bytes) -> bytes:
    """The same answer to a question nobody asked."""
    api = PROTOCOL_MODULES[1]
    message, _ = decoder.decode(data, asn1Spec=api.Message())
    pdu = api.apiMessage.get_pdu(message)
    api.apiPDU.set_request_id(pdu, int(api.apiPDU.get_request_id(pdu)) ^ 1)
    return encoder.encode(message)


async def test_an_answer_to_another_question_is_none():
    async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
        apc = driver(proxy.url, timeout_s=0.2)
        await apc.open()
        proxy.to_client = lambda n, data: [(0.0, other_request_id(data))]
        with pytest.raises(DeviceError):
            await apc.read(MAIN)
        proxy.to_client = lambda n, data: [(0.0, other_request_id(data)), (0.0, data)]
        assert (await read(apc))["inlet:power"] == 1140.0


async def test_a_flipped_bit_of_a_signed_answer_is_never_read(monkeypatch):
    monkeypatch.setenv("AUTH", "a long password")
    monkeypatch.setenv("PRIV", "another password")
    async with v3_agent("sha256", "aes128") as address, proxied(address.port) as proxy:
        where = snmp_device(proxy.url).address
        client = client_for(where, sign_in("sha256", "aes128"), 0.1)
        await client.open()
        bits = random.Random(7)

        def flip(_: int, data: bytes) -> list[tuple[float, bytes]]:
            damaged = bytearray(data)
            damaged[bits.randrange(len(damaged))] ^= 1 << bits.randrange(8)
            return [(0.0, bytes(damaged))]

        seen: list[object] = []
        for _ in range(40):
            proxy.to_client = flip
            try:
                seen.append((await client.get([DESCRIPTION], 1)).get(DESCRIPTION))
            except DeviceError as error:
                seen.append(error.code)
                proxy.to_client = lambda n, data: [(0.0, data)]
                await client.close()
                await client.open()
        await client.close()
    assert len(seen) == 40
    assert set(seen) <= {*NAMED, "bad_signature"}


# ---- what an agent answers -----------------------------------------------------------------


async def test_too_big_is_asked_for_in_smaller_requests():
    async with serving(apc_rows(outlets=40)) as agent:
        apc = driver(agent.url)
        await apc.open()
        agent.most_varbinds = 7
        values = await read(apc)
    assert values["inlet:power"] == 1140.0
    assert values["outlet/40:power"] == 4000.0
    assert not any(math.isnan(values[f"outlet/{n}:power"]) for n in range(1, 41))


async def test_a_general_error_is_named():
    async with serving(apc_rows()) as agent:
        apc = driver(agent.url)
        await apc.open()
        agent.error_status = 5
        with pytest.raises(BadAnswer) as caught:
            await apc.read(MAIN)
    assert caught.value.code == "no_values"
    assert "pdu-1" in caught.value.detail


async def test_no_such_object_is_missing_as_no_such_instance_is():
    async with serving(apc_rows()) as agent:
        apc = driver(agent.url)
        await apc.open()
        own = agent._value
        lost = tuple(int(part) for part in POWER.split("."))
        agent._value = lambda oid: noSuchObject if oid == lost else own(oid)
        values = await read(apc)
    assert math.isnan(values["inlet:power"])
    assert values["outlet/1:power"] == 100.0


@pytest.mark.parametrize("order", ["the same again", "backwards", "without end"])
async def test_a_walk_over_objects_out_of_order_ends(monkeypatch, order):
    monkeypatch.setattr(snmp_client, "MOST_ROWS", 200)
    column = f"{APC}.9.4.3.1.7"
    async with serving(apc_rows(outlets=30)) as agent:
        own, asked = agent._after, []

        def odd(oid, rounds):
            asked.append(oid)
            found = own(tuple(int(part) for part in column.split(".")), rounds)
            if order == "the same again":
                return found
            if order == "backwards":
                return found[::-1]
            start = len(asked) * 1000
            head = tuple(int(part) for part in column.split("."))
            return [((*head, start + i), value) for i, (_, value) in enumerate(found)]

        agent._after = odd
        client = client_for(snmp_device(agent.url).address, {}, 1.0, max_packets_s=1000)
        await client.open()
        if order == "without end":
            with pytest.raises(BadAnswer, match="has no end below") as caught:
                await client.walk(column, 10)
            assert caught.value.code == "endless_walk"
        else:
            assert len(await client.walk(column, 10)) <= 30
    assert len(asked) <= 25


@pytest.mark.parametrize(
    ("tag", "value", "read_as"),
    [
        (INTEGER, 114, 1140.0),
        (66, 114, 1140.0),
        (65, 114, 1140.0),
        (70, 114, 1140.0),
        (STRING, "114", 1140.0),
        (STRING, "114.0", math.nan),
        (STRING, b"\xff\xfe", math.nan),
        (6, "1.3.6.1", math.nan),
        (64, "10.0.0.1", math.nan),
    ],
    ids=["integer", "gauge", "counter", "counter64", "whole", "text", "bytes", "oid", "address"],
)
async def test_a_type_that_changes_is_no_number_where_it_is_none(tag, value, read_as):
    async with serving(apc_rows()) as agent:
        apc = driver(agent.url)
        await apc.open()
        agent.set(POWER, tag, value)
        power = (await read(apc))["inlet:power"]
    assert power == read_as or (math.isnan(power) and math.isnan(read_as))


def with_value(data: bytes, oid: bytes, value: bytes) -> bytes:
    """A message whose object has another value, every length around it corrected."""
    parts, at = [], 0
    while at < len(data):
        tag, begin, end = ber.element(data, at, len(data))
        content = data[begin:end]
        if content.startswith(oid):
            content = oid + value
        elif tag == ber.SEQUENCE or 0xA0 <= tag <= 0xA8:
            content = with_value(content, oid, value)
        parts.append(ber.encoded(tag, content))
        at = end
    return b"".join(parts)


@pytest.mark.parametrize("value", [b"\x02\x00", b"\x41\x08" + b"\xff" * 8], ids=["empty INTEGER", "long Counter32"])
@pytest.mark.parametrize("auth", [{"snmp": "1"}, {}, sign_in()], ids=["v1", "v2c", "v3"])
async def test_a_number_of_an_impossible_length_is_missing_in_every_version(auth, value):
    name = encoder.encode(ObjectIdentifier(POWER))
    async with AsyncExitStack() as stack:
        if auth.get("snmp") == "3":
            rows = Rows(apc_rows())
            port = (await stack.enter_async_context(v3_agent(contexts={"": rows}))).port
        else:
            port = (await stack.enter_async_context(serving(apc_rows()))).port
        proxy = await stack.enter_async_context(proxied(port))
        apc = driver(proxy.url, auth=auth)
        await apc.open()
        assert (await read(apc))["inlet:power"] == 1140.0
        proxy.to_client = lambda _, data: [(0.0, with_value(data, name, value))]
        values = await read(apc)
        await apc.close()
    assert math.isnan(values["inlet:power"])
    assert values["outlet/1:power"] == 100.0


@pytest.mark.parametrize("sentinel", [-1])
async def test_a_value_at_the_sentinel_is_missing(sentinel):
    async with serving(apc_rows()) as agent:
        apc = driver(agent.url)
        await apc.open()
        agent.set(POWER, INTEGER, sentinel)
        assert math.isnan((await read(apc))["inlet:power"])
        agent.set(POWER, INTEGER, 0)
        assert (await read(apc))["inlet:power"] == 0.0


def meter(bits: int) -> SnmpProfile:
    found = parse(f"""
name = "meter"
protocol = "snmp"
vendor = "V"
family = "F"
evidence = "documents"
sources = ["a document"]
identify = {{ probe = "1.3.6.1.4.1.9.1.0" }}
[[points]]
point = "inlet"
entry = "1.3.6.1.4.1.9"
index = []
values = [{{ quantity = "energy", oid = ".1", unit = "Wh", syntax = "gauge32", counter_bits = {bits} }}]
""")
    assert isinstance(found, SnmpProfile)
    return found


@pytest.mark.parametrize("bits", [16, 24, 32])
async def test_a_counter_that_wraps_at_its_width_loses_nothing(bits):
    """10 kWh more in an hour, over the wrap: 36 MJ; a reset in between leaves its interval unknown."""
    top = 2**bits
    async with serving([("1.3.6.1.4.1.9.1.0", 66, top - 4000), (UPTIME, TICKS, 100)]) as agent:
        device = SnmpDriver(snmp_device(agent.url, "meter"), meter(bits))
        await device.open()
        values = []
        for count in (top - 4000, 6000, 0, 500):
            agent.set("1.3.6.1.4.1.9.1.0", 66, count)
            values.append((await device.read(MAIN)).frames[0].values[0])
        (series,) = device.layouts()[0].series
    t = np.arange(4) * 3_600_000
    found = counter_energy(t, np.array(values), 0, int(t[-1]), series.counter_modulus, rated_w=12_000)
    assert series.counter_modulus == top * 3600.0
    assert found.energy_j == pytest.approx(36e6 + 500 * 3600)
    assert len(found.events) == 1


def test_a_scale_that_is_nonsense_leaves_the_row_out():
    raritan = "1.3.6.1.4.1.13742.6"
    columns = {f"{raritan}.5.2.3.1.4": {"1.1.5": 1665}, f"{raritan}.3.3.4.1.7": {"1.1.5": 4_000_000_000}}
    assert make_plan(find("raritan-px2"), columns).groups == {}


# ---- anything ------------------------------------------------------------------------------

RAW = st.one_of(
    st.none(), st.integers(-(2**63), 2**64), st.floats(), st.binary(max_size=40), st.text(max_size=40), st.booleans()
)
COLUMN = st.builds(
    ProfileColumn,
    quantity=st.just("power"),
    unit=st.sampled_from(["W", "kW", "mW"]),
    scale=st.sampled_from([0.001, 0.1, 1.0, 10.0]),
    missing=st.sampled_from([(), (-1,), (65535, 2**31 - 1)]),
    lowest=st.sampled_from([None, 0.0, -100.0]),
    absolute=st.booleans(),
    syntax=st.sampled_from(["integer", "gauge32", "text"]),
    oid=st.just(".5"),
)


@settings(max_examples=500, deadline=None)
@given(RAW, COLUMN, st.integers(-12, 12))
def test_any_value_is_a_number_or_missing(raw, column, exponent):
    cells = make_plan(find("apc-rpdu2"), {POWER.rsplit(".", 1)[0]: {"1": 114}, f"{APC}.4.3.1.2": {"1": 1}}).groups
    (cell,) = cells["main"]
    value = cell_value(type(cell)(cell.series, column, cell.oid, exponent), {cell.oid: raw})
    assert isinstance(value, float | int)
    assert math.isnan(value) or math.isfinite(value)
    if isinstance(raw, int | float) and not math.isnan(value):
        assert raw not in column.missing
        assert column.lowest is None or raw >= column.lowest or column.syntax == "text"


@settings(max_examples=300, deadline=None)
@given(st.integers(-(2**63), 2**64), COLUMN, st.integers(-12, 12))
def test_decoding_multiplies_and_nothing_else(raw, column, exponent):
    value = decode(column, raw, exponent)
    if not math.isnan(value):
        factor = {"W": 1.0, "kW": 1000.0, "mW": 0.001}[column.unit] * column.scale * 10.0**exponent
        assert value == pytest.approx((abs(raw) if column.absolute else raw) * factor, rel=1e-12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=120), min_size=2, max_size=2))
def test_any_bytes_as_an_answer_are_survived(answers):
    async def ask() -> object:
        async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
            client = client_for(snmp_device(proxy.url).address, {}, 0.04)
            await client.open()
            proxy.to_client = lambda n, data: [(0.0, answers[n % 2])]
            try:
                return await client.get([POWER], 1)
            except DeviceError as error:
                return error.code

    assert asyncio.run(ask()) in ({}, "device_timeout", "bad_answer", "access_denied", "network_error")
