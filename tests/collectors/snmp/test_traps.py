"""Notifications over real UDP: matched to their device, named by its profile, and no more believed than polls are."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysnmp.hlapi.v3arch.asyncio import (
    USM_AUTH_HMAC96_MD5,
    USM_AUTH_HMAC96_SHA,
    USM_AUTH_HMAC192_SHA256,
    USM_AUTH_NONE,
    USM_PRIV_CFB128_AES,
    USM_PRIV_CFB256_AES,
    USM_PRIV_CFB256_AES_BLUMENTHAL,
    USM_PRIV_NONE,
    UsmUserData,
)
from pysnmp.proto import rfc1902

from collectors.contract.address import Address
from collectors.device.device import Note, PolledDevice
from collectors.errors import ConfigError
from collectors.polling.trap_receiver import MOST_A_MINUTE, TrapReceiver, listen
from collectors.profiles.registry import find
from collectors.profiles.trap_lines import meaning
from tests.collectors.snmp import trap_senders as senders

pytestmark = pytest.mark.anyio
APC = "1.3.6.1.4.1.318"
OUTLET_OFF, NEAR_OVERLOAD = 269, 274
SIGNED = {"snmp": "3", "user": "watch", "auth": "sha256", "auth_password": "env:AUTH_PASSWORD"}
SEALED = {**SIGNED, "priv": "aes128", "priv_password": "env:PRIV_PASSWORD"}


class Events:
    """A sink that keeps what it is given."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, Note]] = []
        self._more = asyncio.Event()

    def event(self, device: str, note: Note) -> None:
        self.notes.append((device, note))
        self._more.set()

    async def wait_for(self, count: int) -> list[tuple[str, Note]]:
        async with asyncio.timeout(10):
            while len(self.notes) < count:
                self._more.clear()
                await self._more.wait()
        return self.notes


def pdu(key: str, host: str, profile: str = "apc-rpdu2", auth: dict | None = None) -> PolledDevice:
    return PolledDevice(key, profile, Address.parse(f"snmp://{host}"), auth=auth or {})


@asynccontextmanager
async def desk(*devices: PolledDevice, clock=lambda: 1_000_000):
    """A desk on an ephemeral port of 127.0.0.1."""
    events = Events()
    found = TrapReceiver(events, clock)
    await found.set_devices(devices)
    transport = await listen(found, 0, "127.0.0.1")
    try:
        yield events, transport.get_extra_info("sockname")[1], found
    finally:
        transport.close()
        await asyncio.sleep(0)


async def test_a_version_1_trap_of_an_outlet():
    async with desk(pdu("pdu-1", "127.0.0.1")) as (events, port, _):
        varbinds = [
            (f"{APC}.1.1.12.3.3.1.1.1.8", rfc1902.Integer32(8)),
            (f"{APC}.1.1.12.3.3.1.1.2.8", rfc1902.OctetString("node-8 PSU1")),
        ]
        senders.send(senders.first_version(APC, OUTLET_OFF, varbinds), port).close()
        ((device, note),) = await events.wait_for(1)
    assert device == "pdu-1"
    assert (note.kind, note.subject, note.severity, note.t_ms) == ("outlet_off", "outlet/8", "warning", 1_000_000)
    assert note.detail == "an outlet was turned off: node-8 PSU1"


async def test_a_version_2c_trap_as_a_real_device_sent_it():
    """A metered rack PDU in a public trap log: phase 1, "Metered Rack PDU: Near overload."."""
    async with desk(pdu("pdu-1", "127.0.0.1", "apc-rpdu")) as (events, port, _):
        varbinds = [
            (f"{APC}.1.1.12.1.6.0", rfc1902.OctetString("5A1036E02224")),
            (f"{APC}.1.1.12.1.1.0", rfc1902.OctetString("Grand POP PDU R15 A1")),
            (f"{APC}.1.1.12.2.3.1.1.4.0", rfc1902.Gauge32(1)),
            (f"{APC}.2.3.3.0", rfc1902.OctetString("Metered Rack PDU: Near overload.")),
        ]
        senders.send(senders.second_version(f"{APC}.0.{NEAR_OVERLOAD}", varbinds), port).close()
        ((_, note),) = await events.wait_for(1)
    assert (note.kind, note.subject, note.severity) == ("near_overload", "inlet/l1", "warning")
    assert note.detail == "near overload: Metered Rack PDU: Near overload."


async def test_an_inform_is_answered_with_what_it_carried():
    async with desk(pdu("pdu-1", "127.0.0.1")) as (events, port, _):
        varbinds = [(f"{APC}.1.1.12.3.3.1.1.1.2", rfc1902.Integer32(2))]
        sender = senders.send(senders.second_version(f"{APC}.0.{OUTLET_OFF}", varbinds, inform=True), port)
        kind, echoed = await senders.answer_to(sender)
        sender.close()
        await events.wait_for(1)
    assert kind == "ResponsePDU"
    assert (echoed[-1][0], int(echoed[-1][1])) == (f"{APC}.1.1.12.3.3.1.1.1.2", 2)


async def test_a_notification_that_no_profile_names_keeps_its_oid():
    async with desk(pdu("pdu-1", "127.0.0.1")) as (events, port, _):
        varbinds = [("1.3.6.1.4.1.99.1.0", rfc1902.OctetString("door\x07 open"))]
        senders.send(senders.second_version("1.3.6.1.4.1.99.0.7", varbinds), port).close()
        ((_, note),) = await events.wait_for(1)
    assert (note.kind, note.subject) == ("trap", "1.3.6.1.4.1.99.0.7")
    assert note.detail == "notification 1.3.6.1.4.1.99.0.7: 1.3.6.1.4.1.99.1.0 = door  open"


async def test_generic_traps_are_those_of_the_standard():
    async with desk(pdu("pdu-1", "127.0.0.1")) as (events, port, _):
        senders.send(senders.first_version(APC, 0, generic=0), port).close()
        ((_, note),) = await events.wait_for(1)
    assert note.kind == "device_started"


async def test_the_source_address_tells_the_device_and_the_agent_address_of_version_1_before_it():
    both = (pdu("a", "127.0.0.11"), pdu("b", "127.0.0.12"))
    async with desk(*both) as (events, port, _):
        senders.send(senders.first_version(APC, OUTLET_OFF), port, "127.0.0.12").close()
        await events.wait_for(1)
        senders.send(senders.first_version(APC, OUTLET_OFF, agent="127.0.0.11"), port, "127.0.0.12").close()
        await events.wait_for(2)
    assert [device for device, _ in events.notes] == ["b", "a"]


async def test_a_stranger_is_reported_of_once():
    async with desk(pdu("a", "127.0.0.11")) as (events, port, _):
        for _ in range(3):
            senders.send(senders.second_version(f"{APC}.0.{OUTLET_OFF}"), port, "127.0.0.77").close()
        senders.send(senders.second_version(f"{APC}.0.{OUTLET_OFF}"), port, "127.0.0.11").close()
        await events.wait_for(2)
        await asyncio.sleep(0.05)
    assert [(device, note.kind, note.subject) for device, note in events.notes] == [
        ("", "trap_unmatched", "127.0.0.77"),
        ("a", "outlet_off", ""),
    ]


async def test_a_device_that_sends_a_storm_becomes_as_many_events_as_are_bearable():
    now = [6_000_000]
    async with desk(pdu("a", "127.0.0.11"), clock=lambda: now[0]) as (events, _, found):
        datagram = senders.second_version(f"{APC}.0.{OUTLET_OFF}")
        for _ in range(MOST_A_MINUTE + 40):
            found.receive(datagram, ("127.0.0.11", 1), lambda _: None)
        assert len(events.notes) == MOST_A_MINUTE
        assert len({note.t_ms for _, note in events.notes}) == MOST_A_MINUTE  # each an event of its own
        now[0] += 60_000
        found.receive(datagram, ("127.0.0.11", 1), lambda _: None)
    assert [note.kind for _, note in events.notes[-2:]] == ["trap_storm", "outlet_off"]
    assert events.notes[-2][1].detail.startswith("40 more")


@pytest.fixture
def passwords(monkeypatch):
    monkeypatch.setenv("AUTH_PASSWORD", "authentic-password")
    monkeypatch.setenv("PRIV_PASSWORD", "private-password")


def user(auth=USM_AUTH_HMAC192_SHA256, priv=USM_PRIV_CFB128_AES, password: str = "authentic-password") -> UsmUserData:
    if auth == USM_AUTH_NONE:
        return UsmUserData("watch")
    if priv == USM_PRIV_NONE:
        return UsmUserData("watch", password, authProtocol=auth)
    return UsmUserData("watch", password, "private-password", authProtocol=auth, privProtocol=priv)


OUTLET_4 = [(f"{APC}.1.1.12.3.3.1.1.1.4", rfc1902.Integer32(4))]


@pytest.mark.parametrize("inform", [False, True], ids=["trap", "inform"])
@pytest.mark.parametrize(
    ("auth", "sender"),
    [
        (SIGNED, user(priv=USM_PRIV_NONE)),
        (SEALED, user()),
        (SEALED | {"auth": "sha1", "priv": "aes256"}, user(USM_AUTH_HMAC96_SHA, USM_PRIV_CFB256_AES_BLUMENTHAL)),
        (SEALED | {"auth": "sha1", "priv": "aes256c"}, user(USM_AUTH_HMAC96_SHA, USM_PRIV_CFB256_AES)),
    ],
    ids=["auth", "priv", "aes256", "aes256c"],
)
async def test_version_3(passwords, auth, sender, inform):
    async with desk(pdu("pdu-1", "127.0.0.1", auth=auth)) as (events, port, _):
        assert await senders.signed(sender, port, f"{APC}.0.{OUTLET_OFF}", OUTLET_4, inform) == ""
        ((device, note),) = await events.wait_for(1)
    assert (device, note.kind, note.subject) == ("pdu-1", "outlet_off", "outlet/4")


@pytest.mark.parametrize(
    "sender",
    [user(USM_AUTH_NONE), user(priv=USM_PRIV_NONE), user(password="another password"), user(USM_AUTH_HMAC96_MD5)],
    ids=["not signed", "not encrypted", "wrong password", "other algorithm"],
)
async def test_a_version_3_notification_with_less_than_the_user_has_is_not_believed(passwords, sender):
    async with desk(pdu("pdu-1", "127.0.0.1", auth=SEALED)) as (events, port, _):
        await senders.signed(sender, port, f"{APC}.0.{OUTLET_OFF}", OUTLET_4)
        await senders.signed(user(), port, f"{APC}.0.{OUTLET_OFF}", [(OUTLET_4[0][0], rfc1902.Integer32(5))])
        notes = await events.wait_for(1)
        await asyncio.sleep(0.05)
    assert [note.subject for _, note in notes] == ["outlet/5"]


async def test_a_device_polled_with_version_3_is_not_believed_in_version_2c(passwords):
    async with desk(pdu("pdu-1", "127.0.0.1", auth=SIGNED)) as (events, port, _):
        senders.send(senders.second_version(f"{APC}.0.{OUTLET_OFF}"), port).close()
        ((device, note),) = await events.wait_for(1)
    assert (device, note.kind) == ("pdu-1", "trap_refused")


RARITAN = "1.3.6.1.4.1.13742.6"
EATON = "1.3.6.1.4.1.534.6.6.7"
VERTIV = "1.3.6.1.4.1.21239.5.2"
SENTRY = "1.3.6.1.4.1.1718.4"
SENTRY_3 = "1.3.6.1.4.1.1718.3"
PX_1 = "1.3.6.1.4.1.13742.4"
EATON_G1 = "1.3.6.1.4.1.534.6.6.6"
PANDUIT = "1.3.6.1.4.1.19536.10.1"
ENLOGIC = "1.3.6.1.4.1.38446.1"
GUDE = "1.3.6.1.4.1.28507"
TRIPP_LITE = "1.3.6.1.4.1.850.1"
HPE = "1.3.6.1.4.1.232.165"
RITTAL = "1.3.6.1.4.1.2606.7"
GEIST_3 = "1.3.6.1.4.1.21239.2"
LIEBERT = "1.3.6.1.4.1.476.1.42.3"
SOCOMEC = "1.3.6.1.4.1.4555"
DELL = "1.3.6.1.4.1.674.10903.200.2.200.500.0"


@pytest.mark.parametrize(
    ("profile", "oid", "varbind", "kind", "point"),
    [
        ("raritan-px2", f"{RARITAN}.0.65", (f"{RARITAN}.5.3.3.1.3.1.2.15", 0), "breaker_open", "bank/2"),
        ("raritan-px2", f"{RARITAN}.0.65", (f"{RARITAN}.5.3.3.1.3.1.2.15", 1), "breaker_closed", "bank/2"),
        ("raritan-px2", f"{RARITAN}.0.65", (f"{RARITAN}.5.3.3.1.3.1.2.1", 6), "overload", "bank/2"),
        ("raritan-px2", f"{RARITAN}.0.62", (f"{RARITAN}.5.2.4.1.3.1.1.3.1", 5), "near_overload", "inlet/l3"),
        ("raritan-px2", f"{RARITAN}.0.63", (f"{RARITAN}.5.4.3.1.3.2.7.14", 8), "outlet_off", "unit/2/outlet/7"),
        ("raritan-px2", f"{RARITAN}.0.63", (f"{RARITAN}.5.4.3.1.3.2.7.10", 6), "trap", f"{RARITAN}.0.63"),
        ("eaton-epdu", f"{EATON}.0.23", (f"{EATON}.5.1.1.5.0.3", 2), "breaker_open", "bank/3"),
        ("eaton-epdu", f"{EATON}.0.22", (f"{EATON}.5.4.1.4.0.1", 4), "overload", "bank/1"),
        ("eaton-epdu", f"{EATON}.0.33", (f"{EATON}.6.6.1.2.1.12", 0), "outlet_off", "unit/2/outlet/12"),
        ("servertech-sentry4", f"{SENTRY}.100.0.2", (f"{SENTRY}.1.3.3.1.1.1.2", 2), "feed_lost", "inlet/2"),
        ("servertech-sentry4", f"{SENTRY}.100.0.13", (f"{SENTRY}.1.7.3.1.2.1.1.4", 12), "breaker_open", "bank/4"),
        ("servertech-sentry4", f"{SENTRY}.100.0.8", (f"{SENTRY}.1.4.3.1.4.1.1.2", 16), "near_overload", "inlet/l2"),
        ("ups-mib", "1.3.6.1.2.1.33.2.1", ("1.3.6.1.2.1.33.1.2.3.0", 12), "on_battery", ""),
        ("servertech-sentry3", f"{SENTRY_3}.100.0.2", (f"{SENTRY_3}.2.2.1.5.1.2", 0), "feed_lost", "inlet/2"),
        ("servertech-sentry3", f"{SENTRY_3}.100.0.3", (f"{SENTRY_3}.2.2.1.6.2.1", 5), "overload", "unit/2/inlet/1"),
        ("servertech-sentry3", f"{SENTRY_3}.100.0.3", (f"{SENTRY_3}.2.2.1.6.1.1", 4), "near_overload", "inlet/1"),
        ("servertech-sentry3", f"{SENTRY_3}.100.0.14", (f"{SENTRY_3}.2.7.1.5.1.1.3", 8), "breaker_open", "bank/3"),
        ("servertech-sentry3", f"{SENTRY_3}.100.0.6", (f"{SENTRY_3}.2.3.1.5.1.1.7", 0), "outlet_off", "outlet/7"),
        ("servertech-sentry3", f"{SENTRY_3}.100.0.6", (f"{SENTRY_3}.2.3.1.5.1.1.7", 3), "outlet_on", "outlet/7"),
        ("raritan-px1", f"{PX_1}.0.51", (f"{PX_1}.1.1.13", b"pdu"), "breaker_open", ""),
        ("raritan-px1", f"{PX_1}.0.23", (f"{PX_1}.1.2.2.1.3.5", 0), "outlet_off", "outlet/5"),
        ("eaton-epdu-g1", f"{EATON_G1}.0.23", (f"{EATON_G1}.1.2.2.1.3.5", 1), "outlet_on", "outlet/6"),
        ("apc-ups", f"{APC}.0.5", (f"{APC}.2.3.3.0", b"UPS: On battery"), "on_battery", ""),
        ("apc-ups", f"{APC}.0.9", (f"{APC}.2.3.3.0", b"UPS: No longer on battery"), "on_mains", ""),
        ("apc-ups", f"{APC}.0.2", (f"{APC}.2.3.3.0", b"UPS: Overload"), "overload", ""),
        ("apc-ats", f"{APC}.0.105", (f"{APC}.2.3.3.0", b"Redundancy lost"), "feed_lost", ""),
        ("apc-rpdu2", f"{APC}.0.750", (f"{APC}.2.3.3.0", b"Rack PDU 2G: Overload"), "alarm", ""),
        ("cyberpower-ups", "1.3.6.1.4.1.3808.0.5", ("1.3.6.1.2.1.1.5.0", b"ups"), "on_battery", ""),
        ("cyberpower-epdu2", "1.3.6.1.4.1.3808.0.128", ("1.3.6.1.2.1.1.5.0", b"pdu"), "overload", ""),
        ("eaton-ats16", "1.3.6.1.4.1.534.10.2.10.12", ("1.3.6.1.2.1.1.5.0", b"ats"), "feed_lost", "input/2"),
        ("eaton-xups", "1.3.6.1.4.1.534.1.11.4.1.0.3", ("1.3.6.1.4.1.534.1.11.3.0", b"on"), "on_battery", ""),
        ("eaton-mge", "1.3.6.1.4.1.705.1.11.0.11", ("1.3.6.1.4.1.705.1.5.2.0", 90), "on_battery", ""),
        ("panduit-g5", f"{PANDUIT}.6.1", (f"{PANDUIT}.7.1.2.0", b"Branch 1 overload"), "alarm", ""),
        ("enlogic-pdu", f"{ENLOGIC}.9.26", (f"{ENLOGIC}.3.4.1.3.1.2", 1), "overload", "inlet/l2"),
        ("enlogic-pdu", f"{ENLOGIC}.9.27", (f"{ENLOGIC}.4.4.1.4.2.3", 2), "near_overload", "unit/2/bank/3"),
        ("gude-epc-8221", f"{GUDE}.56.3.1", (f"{GUDE}.56.1.3.1.2.1.3.4", 0), "outlet_off", "outlet/4"),
        ("gude-epc-8221", f"{GUDE}.56.3.9", (f"{GUDE}.56.1.5.13.1.2.1", 0), "feed_lost", "bank/1"),
        ("gude-epc-8031", f"{GUDE}.81.3.7", (f"{GUDE}.81.1.5.1.2.1.5.1", 15900), "threshold", "inlet"),
        (
            "tripplite-pdu",
            f"{TRIPP_LITE}.4.1.1",
            (f"{TRIPP_LITE}.3.2.1.2.46", f"{TRIPP_LITE}.3.3.4.6.4"),
            "outlet_off",
            "",
        ),
        (
            "tripplite-pdu",
            f"{TRIPP_LITE}.4.1.2",
            (f"{TRIPP_LITE}.3.2.1.2.46", f"{TRIPP_LITE}.3.3.4.7.2"),
            "breaker_closed",
            "",
        ),
        (
            "tripplite-pdu",
            f"{TRIPP_LITE}.4.1.1",
            (f"{TRIPP_LITE}.3.2.1.2.9", f"{TRIPP_LITE}.3.3.6.1.2"),
            "feed_lost",
            "",
        ),
        (
            "tripplite-ups",
            f"{TRIPP_LITE}.4.1.1",
            (f"{TRIPP_LITE}.3.2.1.2.28", f"{TRIPP_LITE}.3.3.3.2"),
            "on_battery",
            "",
        ),
        (
            "tripplite-ups",
            f"{TRIPP_LITE}.4.1.1",
            (f"{TRIPP_LITE}.3.2.1.2.28", f"{TRIPP_LITE}.3.3.3.23.3"),
            "near_overload",
            "",
        ),
        ("hpe-mapdu", f"{HPE}.0.1", (f"{HPE}.1.1.2", b"Load Critical"), "overload", ""),
        ("hpe-mapdu-g2", f"{HPE}.0.2", (f"{HPE}.1.1.2.0", b"Load Warning"), "near_overload", ""),
        ("hpe-pdumm", f"{HPE}.0.1", (f"{HPE}.1.1.2", b"Total Heat Critical"), "alarm", ""),
        ("rittal-pdu", f"{RITTAL}.0.1", (f"{RITTAL}.4.3.2.1.4.2.11", 8), "threshold", ""),
        ("rittal-pdu", f"{RITTAL}.0.1", (f"{RITTAL}.4.3.2.1.4.2.11", 10), "output_off", ""),
        ("vertiv-geist-v3", f"{GEIST_3}.32767.0.12516", (f"{GEIST_3}.25.1.16.1", 301), "threshold", "inlet/l2"),
        ("vertiv-geist-v3", f"{GEIST_3}.32767.0.21606", (f"{GEIST_3}.16.1.6.7", 12), "load_normal", "outlet/7"),
        ("dell-rpdu", f"{DELL}.24", ("1.3.6.1.2.1.1.5.0", b"pdu"), "overload", ""),
        ("dell-rpdu", f"{DELL}.46", ("1.3.6.1.2.1.1.5.0", b"pdu"), "outlet_off", ""),
        ("delta-ups", "1.3.6.1.4.1.2254.2.5.20.0.3", ("1.3.6.1.2.1.1.5.0", b"ups"), "on_battery", ""),
        ("riello-netman", "1.3.6.1.4.1.5491.10.2.0.1", ("1.3.6.1.2.1.1.5.0", b"ups"), "on_battery", ""),
        ("delta-ups", "1.3.6.1.4.1.2254.2.4.20.0.21", ("1.3.6.1.2.1.1.5.0", b"ups"), "overload", ""),
        ("socomec-pdu", f"{SOCOMEC}.2.30.20.0.21", ("1.3.6.1.2.1.1.5.0", b"pdu"), "near_overload", "output/l3"),
        ("socomec-ups", f"{SOCOMEC}.1.1.7.2.0.6", ("1.3.6.1.2.1.1.5.0", b"ups"), "overload", ""),
        ("liebert-ups", f"{LIEBERT}.3.0.1", (f"{LIEBERT}.2.3.1.2.6", f"{LIEBERT}.2.1.72"), "on_battery", ""),
        ("liebert-ups", f"{LIEBERT}.3.0.2", (f"{LIEBERT}.2.3.1.2.6", f"{LIEBERT}.2.1.40.2"), "overload_cleared", ""),
        ("liebert-ups", f"{LIEBERT}.3.0.1", (f"{LIEBERT}.2.3.1.2.6", f"{LIEBERT}.2.1.7"), "trap", f"{LIEBERT}.3.0.1"),
        ("liebert-mph", f"{LIEBERT}.3.0.1", (f"{LIEBERT}.2.3.1.2.6", f"{LIEBERT}.2.1.190.10"), "breaker_open", ""),
        ("liebert-mph", f"{LIEBERT}.3.0.22", (f"{LIEBERT}.3.10.5.0", "1.3.6"), "outlet_off", ""),
        ("wti-vmr", "1.3.6.1.4.1.2634.3.300.8.0.1", ("1.3.6.1.4.1.2634.3.300.1.0", b"CB 1"), "breaker_open", ""),
        ("dataprobe-iboot-pdu", "1.3.6.1.4.1.1418.6.7.1", ("1.3.6.1.4.1.1418.6.5.1.6.3", 0), "outlet_off", "outlet/3"),
        ("baytech-rpc", "1.3.6.1.4.1.4779.0.28", ("1.3.6.1.4.1.4779.3.12.0", 2), "breaker_open", ""),
        (
            "ups-mib",
            "1.3.6.1.2.1.33.2.3",
            ("1.3.6.1.2.1.33.1.6.2.1.2.9", "1.3.6.1.2.1.33.1.6.3.6"),
            "feed_lost",
            "",
        ),
    ],
)
def test_the_states_that_the_mibs_name(profile, oid, varbind, kind, point):
    said = meaning(oid, [varbind], find(profile).traps)
    assert (said.kind, said.point) == (kind, point)


@pytest.mark.parametrize(("phase", "bank", "point"), [(3, 0, "inlet/l3"), (0, 2, "bank/2")])
def test_a_notification_of_a_phase_or_of_a_bank(phase, bank, point):
    """PowerNet-MIB rPDUBankPhaseOverload: the number of the other one is 0."""
    row = f"{APC}.1.1.12.2.3.1.1"
    said = meaning(f"{APC}.0.226", [(f"{row}.5.0", bank), (f"{row}.4.0", phase)], find("apc-rpdu2").traps)
    assert (said.kind, said.point) == ("overload", point)


async def test_a_standard_notification_is_named_whatever_the_makers_profile_is():
    """upsTrapOnBattery of RFC 1628 from a UPS whose profile names none of its own."""
    async with desk(pdu("ups-1", "127.0.0.1", "delta-ups")) as (events, port, _):
        varbinds = [("1.3.6.1.2.1.33.1.2.3.0", rfc1902.Integer32(12))]
        senders.send(senders.second_version("1.3.6.1.2.1.33.2.1", varbinds), port).close()
        ((_, note),) = await events.wait_for(1)
    assert (note.kind, note.severity) == ("on_battery", "critical")


async def test_a_trap_of_the_first_version_whose_mib_has_no_zero_in_its_number():
    """upsTrapOnBattery is 1.3.6.1.2.1.33.2.1; in version 1 it arrives as 1.3.6.1.2.1.33.2.0.1 (RFC 3584)."""
    async with desk(pdu("ups-1", "127.0.0.1", "ups-mib")) as (events, port, _):
        senders.send(senders.first_version("1.3.6.1.2.1.33.2", 1), port).close()
        ((_, note),) = await events.wait_for(1)
    assert note.kind == "on_battery"


def test_a_limit_that_a_varbind_beside_says_was_passed_upwards():
    """GEIST-MIB-V3: ctrl3ChIECDeciAmpsA of unit 1 and alarmTripType high."""
    varbinds = [(f"{GEIST_3}.25.1.8.1", 301), (f"{GEIST_3}.1.6.0", 2)]
    said = meaning(f"{GEIST_3}.32767.0.12508", varbinds, find("vertiv-geist-v3").traps)
    assert (said.kind, said.point) == ("overload", "inlet/l1")


@pytest.mark.parametrize(
    ("number", "threshold", "severity", "kind"),
    [(10389, 2, 2, "overload"), (10389, 2, 1, "near_overload"), (10389, 1, 2, "trap"), (20389, 2, 2, "load_normal")],
)
def test_a_notification_that_says_in_three_varbinds_what_happened(number, threshold, severity, kind):
    """VERTIV-V5-MIB: pduOutletMeterCurrent of outlet 14, trapThreshType, trapSeverity, pduOutletMeterLabel."""
    varbinds = [
        (f"{VERTIV}.3.6.1.8.14", 1630),
        (f"{VERTIV}.32767.1.2", threshold),
        (f"{VERTIV}.32767.1.1", severity),
        (f"{VERTIV}.3.6.1.3.14", b"node-14"),
    ]
    said = meaning(f"{VERTIV}.32767.0.{number}", varbinds, find("vertiv-geist").traps)
    assert said.kind == kind
    if kind != "trap":
        assert (said.point, said.text.endswith(": node-14")) == ("outlet/14", True)


@pytest.mark.filterwarnings("ignore:unclosed resource <UDPTransport:ResourceWarning")  # uvloop's own, of a failed bind
async def test_a_port_that_cannot_be_opened():
    async with desk() as (_, port, found):
        with pytest.raises(ConfigError, match="cannot be received on port"):
            await listen(found, port, "127.0.0.1")


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data):
    events = Events()
    found = TrapReceiver(events, lambda: 0)
    asyncio.run(found.set_devices([pdu("a", "127.0.0.11"), pdu("b", "127.0.0.12", auth={"snmp": "3", "user": "u"})]))
    for source in ("127.0.0.11", "127.0.0.12"):
        found.receive(data, (source, 1), lambda _: None)
    assert events.notes == []


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 200), st.integers(0, 255), st.booleans())
def test_a_bit_flipped_on_the_way_is_survived(at, flip, cut):
    whole = bytearray(senders.second_version(f"{APC}.0.{OUTLET_OFF}", OUTLET_4))
    whole[at % len(whole)] ^= flip
    data = bytes(whole[: at % len(whole)]) if cut else bytes(whole)
    events = Events()
    found = TrapReceiver(events, lambda: 0)
    asyncio.run(found.set_devices([pdu("a", "127.0.0.11")]))
    found.receive(data, ("127.0.0.11", 1), lambda _: None)
    assert len(events.notes) <= 1
