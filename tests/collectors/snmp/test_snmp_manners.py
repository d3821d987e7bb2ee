"""How the driver behaves towards a device: one question at a time, few of them, and not too often."""

import time

import pytest

from collectors.errors import Unidentified, Unreachable
from collectors.profiles.registry import find
from collectors.protocols.snmp.connect import client_for
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.tools.probe_device import probe
from tests.collectors.agents import OBJECT_ID, STRING, UPTIME, apc_rows, snmp_device
from tests.snmprec_agent import serving
from tests.udp_proxy import proxied

pytestmark = pytest.mark.anyio
PRINTER = [("1.3.6.1.2.1.1.1.0", STRING, "a printer"), ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.11.2.3.9.1")]


async def test_one_question_at_a_time():
    async with serving(apc_rows(outlets=60)) as agent, proxied(agent.port) as proxy:
        open_questions, most = 0, 0

        def asked(_, data):
            nonlocal open_questions, most
            open_questions += 1
            most = max(most, open_questions)
            return [(0.002, data)]

        def answered(_, data):
            nonlocal open_questions
            open_questions -= 1
            return [(0.002, data)]

        proxy.to_server, proxy.to_client = asked, answered
        apc = SnmpDriver(snmp_device(proxy.url), find("apc-rpdu2"))
        await apc.open()
        await apc.read({"main", "environment"})
    assert most == 1


async def test_a_question_is_asked_twice_and_then_left():
    async with serving(apc_rows()) as agent, proxied(agent.port) as proxy:
        client = client_for(snmp_device(proxy.url).address, {}, 0.2)
        await client.open()
        sent = []
        proxy.to_server = lambda n, data: sent.append(data) or []
        with pytest.raises(Unreachable):
            await client.get([UPTIME], 1)
    assert len(sent) == 2


async def test_no_more_packets_a_second_than_the_profile_allows():
    """A lower bound, which a busy machine only makes longer: 12 packets at 40 a second are 11 pauses of 25 ms."""
    async with serving(apc_rows(outlets=12)) as agent, proxied(agent.port) as proxy:
        sent = []
        proxy.to_server = lambda n, data: sent.append(time.monotonic()) or [(0.0, data)]
        client = client_for(snmp_device(proxy.url).address, {}, 1.0, max_packets_s=40)
        await client.open()
        await client.walk("1.3.6.1.4.1.318.1.1.26.9.4.3.1.7", 1)
    assert len(sent) >= 12
    assert sent[11] - sent[0] >= 11 * 0.025 * 0.9


async def test_what_no_profile_fits_is_asked_few_questions_and_reported_the_closest():
    async with serving([*PRINTER[:1], ("1.3.6.1.2.1.1.2.0", OBJECT_ID, "1.3.6.1.4.1.318.1.99")]) as agent:
        with pytest.raises(Unidentified) as caught:
            await probe(agent.url)
    assert "closest profile: apc-" in caught.value.explanation
    assert len(agent.requests) <= 40


async def test_a_stranger_has_no_closest():
    async with serving(PRINTER) as agent:
        with pytest.raises(Unidentified, match="a printer") as caught:
            await probe(agent.url)
    assert caught.value.hint == f"closest profile: none (see wattline probe {agent.url} --explore)"
