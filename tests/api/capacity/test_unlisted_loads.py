"""What the PDUs of a rack carry beyond its nodes, by hand: an inlet of 1,140 W, and one node of 300 W in the file."""

import csv

import pytest

from app.store.facility import Breaker, Device, Model, Node, Rack

HOUR_MS = 3_600_000


@pytest.fixture
def rack(hall, deliver, start):
    """R9 with one PDU; its 840 W beside the node are of switches that nobody wrote into the file."""
    breaker = Breaker(amps=32, phases=1, volts=230, derating=1.0)
    hall.facility.upsert(
        [
            Rack(key="r9", capacity_w=20_000.0),
            Model(key="server", rated_w=3000.0),
            Device(key="p", kind="pdu", rack="r9", breaker=breaker),
            Node(key="own", model="server", rack="r9", feeds=("p/outlet/1", "p/outlet/2")),
        ],
        effective_ms=0,
    )
    readings = {"outlet/1:power": [100.0] * 361, "outlet/2:power": [200.0] * 361}
    deliver("p", start, {"inlet:power": [1140.0] * 361, **readings}, 10)
    return hall


def level(client, start, **query):
    query |= {"levels": "rack", "from": start, "to": start + HOUR_MS}
    answer = client.get("/api/v1/capacity/racks/r9", params=query).json()
    return answer["levels"][0]["load"], answer["additional_nodes"]


def test_they_count_in_the_rack_where_it_is_measured(rack, client, start):
    assert level(client, start) == (1140.0, 62)  # (20,000 − 1,140) ÷ 300 = 62.9; 65 by the node alone
    assert level(client, start, basis="rated") == (3000.0, 5)  # 17,000 ÷ 3,000: nobody declared the switches


def test_the_rack_page_and_what_if_say_the_same(rack, client, start, clock):
    clock.now = start + HOUR_MS
    page = client.get("/api/v1/views/rack/r9", params={"from": start, "to": start + HOUR_MS}).json()
    bases = {basis["key"]: basis for basis in page["headroom"]["bases"]}
    assert (bases["observed_max"]["now_w"], bases["observed_max"]["additional"]) == (1140.0, 62)
    assert "what the PDUs measure beyond the nodes: 0.84\u2009kW" in page["headroom"]["note"]
    body = {"add": [{"rack": "r9", "model": "server"}], "from": start, "to": start + HOUR_MS}
    levels = client.post("/api/v1/capacity/what-if", json=body).json()["levels"]
    assert [(one["before"], one["after"]) for one in levels if one["level"] == "rack"] == [(1140.0, 1440.0)]


def test_what_meters_disagree_by_does_not_count(rack, client, deliver, start):
    later = start - 2 * HOUR_MS
    readings = {"outlet/1:power": [100.0] * 361, "outlet/2:power": [200.0] * 361}
    deliver("p", later, {"inlet:power": [303.0] * 361, **readings}, 10)
    assert level(client, later) == (300.0, 65)  # 3 W are 1 % of 303 W


def test_a_pdu_that_powers_another_rack_too_says_nothing(rack, client, start):
    rack.facility.upsert(
        [Rack(key="r10"), Node(key="far", model="server", rack="r10", feeds=("p/outlet/3",))], effective_ms=0
    )
    assert level(client, start) == (300.0, 65)


def rack_level(client, start, **query):
    query |= {"levels": "rack", "from": start, "to": start + HOUR_MS}
    answer = client.get("/api/v1/capacity/racks/r9", params=query).json()
    return answer["levels"][0]["nodes_only"], answer["rows"][0]["text"]


def test_where_they_are_not_measured_the_answer_says_so(rack, client, deliver, start):
    unknown = "; loads beside the nodes are not known"
    assert rack_level(client, start)[0] is False
    assert not rack_level(client, start)[1].endswith(unknown)
    by_rating = rack_level(client, start, basis="rated")
    assert by_rating[0] is True
    assert by_rating[1].endswith(unknown)
    later = start - 2 * HOUR_MS
    deliver("p", later, {"outlet/1:power": [100.0] * 361, "outlet/2:power": [200.0] * 361}, 10)
    no_inlet = rack_level(client, later)
    assert no_inlet[0] is True
    assert no_inlet[1].endswith(unknown)


def test_all_racks_at_once_and_their_file_say_so(rack, client, start):
    query = {"from": start, "to": start + HOUR_MS}
    for basis, nodes_only in (("observed_max", False), ("rated", True)):
        items = client.get("/api/v1/capacity/racks", params=query | {"basis": basis}).json()["items"]
        assert {one["rack"]: one["nodes_only"] for one in items}["r9"] is nodes_only
        table = client.get("/api/v1/headroom.csv", params=query | {"level": "rack", "fits": basis}).text.splitlines()
        rows = {row["key"]: row for row in csv.DictReader(table)}
        assert rows["r9"]["nodes_only"] == str(nodes_only).lower()


def test_a_rack_without_nodes_counts_what_its_pdus_measure(rack, client, deliver, start):
    other = [Rack(key="r10"), Device(key="q", kind="pdu", rack="r10")]
    node = Node(key="other", model="server", rack="r10", feeds=("q/outlet/1",))
    rack.facility.upsert([*other, node], effective_ms=0)
    rack.facility.delete("node", "own", effective_ms=0)
    deliver("q", start, {"outlet/1:power": [300.0] * 361}, 10)
    assert level(client, start, model="server") == (1140.0, 62)


def test_the_file_says_so_too(rack, client, start):
    query = {"levels": "rack", "from": start, "to": start + HOUR_MS}
    for basis, nodes_only in (("observed_max", "false"), ("rated", "true")):
        table = client.get("/api/v1/capacity/racks/r9.csv", params=query | {"basis": basis}).text.splitlines()
        heads, cells = (line.split(",") for line in table)
        assert dict(zip(heads, cells, strict=True))["nodes_only"] == nodes_only
