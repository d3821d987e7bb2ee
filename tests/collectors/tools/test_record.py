"""A device recorded, served again from the recording and probed: the same readings, and nothing private."""

import pytest

from collectors.tools.probe_device import probe
from collectors.tools.record_device import record
from collectors.tools.scrub import Scrubber
from tests.collectors.agents import STRING, apc_rows
from tests.conformance.captures import capture
from tests.snmprec_agent import read_snmprec, serving

pytestmark = pytest.mark.anyio
PRIVATE = [
    ("1.3.6.1.2.1.1.4.0", STRING, "ada@lab.example"),
    ("1.3.6.1.2.1.1.5.0", STRING, "pdu-r07-a"),
    ("1.3.6.1.2.1.1.6.0", STRING, "Hall 1, rack 7"),
    ("1.3.6.1.4.1.318.1.1.26.2.1.9.1", STRING, "5A1036E02224"),
    ("1.3.6.1.4.1.318.1.1.26.2.1.10.1", 64, "10.11.12.13"),
    ("1.3.6.1.4.1.318.1.1.26.2.1.11.1", STRING, b"\x00\xc0\xb7\x12\x34\x56"),
]


async def again(url: str, tmp_path, **options):
    """Record a device; the rows as a test agent serves them, and the file's text."""
    recording = await record(url, {}, packets_s=1000, **options)
    path = tmp_path / "device.snmprec"
    path.write_text("\n".join(recording.lines) + "\n", encoding="utf-8")
    return recording, read_snmprec(path), path.read_text("utf-8")


async def test_a_recording_reads_like_the_device_and_tells_nothing_private(tmp_path):
    async with serving([*apc_rows(), *PRIVATE]) as agent:
        before = await probe(agent.url)
        recording, rows, text = await again(agent.url, tmp_path)
    async with serving(rows) as agent:
        after = await probe(agent.url)
    assert recording.profile == after.profile == "apc-rpdu2"
    assert {(r.point, r.quantity, r.value) for r in after.readings} == {
        (r.point, r.quantity, r.value) for r in before.readings
    }
    assert len(after.readings) >= 6
    for private in ("ada", "r07", "Hall", "5A1036E02224", "10.11.12.13", "00c0b7123456", "node 1", "rack 7"):
        assert private not in text


@pytest.mark.conformance
@pytest.mark.parametrize("name", ["raritan-pdu_px3", "sentry4", "apc_ats", "apc_ap8853"])
async def test_real_devices_survive_the_round_trip(tmp_path, name):
    path = capture(f"snmp/snmprec/{name}.snmprec")
    async with serving(read_snmprec(path)) as agent:
        before = await probe(agent.url)
        recording, rows, _ = await again(agent.url, tmp_path)
    async with serving(rows) as agent:
        after = await probe(agent.url)
    assert recording.profile == before.profile
    assert [(r.point, r.quantity, r.value) for r in after.readings] == [
        (r.point, r.quantity, r.value) for r in before.readings
    ]


async def test_an_agent_is_asked_no_faster_than_it_bears(tmp_path):
    async with serving(apc_rows(outlets=30)) as agent:
        recording, _, _ = await again(agent.url, tmp_path)
        bulks = [oids for kind, oids in agent.requests if kind == "GetBulkRequestPDU"]
    assert len(recording.lines) > 130
    assert all(len(oids) == 1 for oids in bulks)


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (b"MAC 00:C0:B7:12:34:56 here", b"MAC 02:00:00:00:00:01 here"),
        (b"mac 00-c0-b7-12-34-56", b"mac 02-00-00-00-00-01"),
        (b"at 10.1.2.3 port 161", b"at 192.0.2.1 port 161"),
        (b"at 127.0.0.1", b"at 127.0.0.1"),
        (b"fe80::2c0:b7ff:fe12:3456", b"2001:db8::1"),
        (b"S/N: ZA1234567890", b"S/N: SERIAL-1"),
        (b"Serial Number = AB12", b"Serial Number = SERIAL-1"),
        (b"5A1036E02224 AP8659", b"SERIAL-1 AP8659"),
        (b"mail ada@lab.example.org", b"mail contact@example.org"),
        (b"APC Web/SNMP Management Card (MN:AP8659 HR:02)", b"APC Web/SNMP Management Card (MN:AP8659 HR:02)"),
        (b"version 2.1.4.0.5", b"version 2.1.4.0.5"),
    ],
)
def test_the_private_parts_of_a_text(given, left):
    assert Scrubber(keep_texts=True).text("1.3.6.1.4.1.9.1.0", given) == left


def test_the_same_becomes_the_same():
    scrubber = Scrubber()
    names = [scrubber.text("1.3.6.1.4.1.9.1", text) for text in (b"node a", b"node b", b"node a", b"")]
    assert names == [b"text-1", b"text-2", b"text-1", b""]
    assert [scrubber.address(a) for a in ("10.0.0.7", "10.0.0.8", "10.0.0.7", "0.0.0.0")] == [
        "192.0.2.1",
        "192.0.2.2",
        "192.0.2.1",
        "0.0.0.0",
    ]


def test_a_mac_address_in_an_index():
    mac = ".".join(str(ord(c)) for c in "00E0D8FF8001")
    assert (
        Scrubber()
        .oid(f"1.3.6.1.4.1.30932.1.10.1.2.10.1.1.12.{mac}")
        .endswith(".12." + ".".join(str(ord(c)) for c in "020000000001"))
    )
