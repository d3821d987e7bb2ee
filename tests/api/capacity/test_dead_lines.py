"""A breaker of three phases on a PDU with one live line: what it does not have is not measured, and not 0 A."""

import pytest

from app.domain.capacity import dead_lines
from app.store.facility import Breaker, Device

PDU = '[devices.pdu-a]\nkind = "pdu"\nrack = "r1"\nbreaker = { amps = 50, phases = 3, volts = 208, derating = 0.8 }\n'


@pytest.mark.parametrize(
    ("amps", "volts", "dead"),
    [
        ((9.0, 0.0, 0.0), (230.0, 0.0, 0.0), {"L2", "L3"}),
        ((9.0, 0.0, 0.0), (None, None, None), {"L2", "L3"}),
        ((9.0, 0.0, 0.0), (230.0, 231.0, 229.0), set()),  # live lines without load
        ((9.0, 8.0, 0.0), (None, None, None), set()),
        ((9.0, 8.0, 0.0), (230.0, 230.0, 0.0), {"L3"}),
        ((0.0, 0.0, 0.0), (None, None, None), set()),  # an idle PDU
        ((9.0, None, 0.1), (None, None, None), set()),
    ],
)
def test_which_lines_are_dead(amps, volts, dead):
    names = ("L1", "L2", "L3")
    assert dead_lines(dict(zip(names, amps, strict=True)), dict(zip(names, volts, strict=True))) == dead


@pytest.fixture
def one_line(hall, deliver, start):
    amps = {f"inlet/l{i}:current": [12.0 if i == 1 else 0.0] * 361 for i in (1, 2, 3)}
    deliver("pdu-a", start, {"inlet:power": [2500.0] * 361} | amps)
    return hall


def headroom(client, start):
    answer = client.get(f"/api/v1/headroom?level=phase&from={start}&to={start + 3_600_000}").json()
    return {row["key"].rpartition("/")[2]: row for row in answer["items"]}


def test_they_have_no_headroom(client, one_line, start):
    rows = headroom(client, start)
    assert (rows["l1"]["observed_a"]["max"], rows["l1"]["headroom_a"]) == (12.0, 28.0)
    for line in ("l2", "l3"):
        assert rows[line]["observed_a"]["max"] is None
        assert (rows[line]["headroom_a"], rows[line]["headroom_pct"], rows[line]["coverage"]) == (None, None, 0.0)


def test_a_declared_phase_has_one_line(client, one_line, start):
    breaker = Breaker(amps=50.0, phases=1, volts=208.0, derating=0.8)
    one_line.facility.upsert([Device(key="pdu-a", kind="pdu", rack="r1", breaker=breaker)], effective_ms=start)
    assert list(headroom(client, start)) == ["l1"]


def test_they_are_unknown_on_the_page_of_the_rack(client, one_line, deliver, clock):
    amps = {f"inlet/l{i}:current": [12.0 if i == 1 else 0.0] for i in (1, 2, 3)}
    deliver("pdu-a", clock.now - 5000, {"inlet:power": [2500.0]} | amps)
    page = client.get("/api/v1/views/rack/r1").json()
    (pdu,) = page["feeds"]["pdus"]
    assert {line["name"]: line["now_a"] for line in pdu["lines"]} == {"L1": 12.0, "L2": None, "L3": None}
    assert pdu["imbalance_pct"] is None


def test_apply_warns(client, one_line):
    answer = client.post("/api/v1/facility?dry_run=true", content=PDU, headers={"content-type": "text/toml"}).json()
    assert [one for one in answer["warnings"] if "phases" in one] == [
        "devices.pdu-a: its breaker has 3 phases, but only L1 is live: L2 and L3 are not measured; if the PDU has one "
        "phase, declare phases = 1"
    ]
    single = PDU.replace("phases = 3", "phases = 1")
    answer = client.post("/api/v1/facility?dry_run=true", content=single, headers={"content-type": "text/toml"}).json()
    assert [one for one in answer["warnings"] if "phases" in one] == []
