"""Figures drawn on the server: complete by themselves, and a clear answer where matplotlib is missing."""

import sys
import xml.etree.ElementTree as ET

import pytest

from app.store.facility import Device, Node, Rack, Site

N = 60


@pytest.fixture
def rack(stores, deliver, start):
    stores.facility.upsert(
        [
            Site(key="lab", label="The lab"),
            Rack(key="r1", label="Rack one", site="lab", capacity_w=10_000.0),
            Device(key="pdu-a", kind="pdu", site="lab", rack="r1"),
            Node(key="n1", site="lab", rack="r1", feeds=("pdu-a/outlet/1",)),
        ],
        effective_ms=0,
    )
    deliver("pdu-a", start, {"inlet:power": [1000.0] * N, "outlet/1:power": [900.0] * N})
    return start


def words(answer):
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/svg+xml"
    return " ".join(text for e in ET.fromstring(answer.content).iter() if (text := (e.text or "").strip()))


def test_a_figure_says_what_it_shows(client, rack):
    window = f"from={rack}&to={rack + N * 10_000}"
    said = words(client.get(f"/api/v1/racks/r1/figure.svg?{window}&zone=Europe/Berlin&size=column&theme=dark"))
    for part in (
        "Power of Rack one",
        "kW",
        "usable 10",
        "Europe/Berlin",
        "coverage 100",
        "Source:",
        "Cite as: Wattline",
    ):
        assert part in said
    assert "Power of n1" in words(client.get(f"/api/v1/nodes/n1/figure.svg?{window}"))
    assert "Power of pdu-a" in words(client.get(f"/api/v1/devices/pdu-a/figure.svg?point=outlet/1&{window}"))
    assert "Power of The lab" in words(client.get(f"/api/v1/sites/lab/figure.svg?{window}"))


def test_without_matplotlib_the_answer_says_what_to_install(client, rack, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = client.get(f"/api/v1/racks/r1/figure.svg?from={rack}")
    assert (answer.status_code, answer.json()["code"]) == (501, "not_installed")
    assert "wattline[figures]" in answer.json()["hint"]
