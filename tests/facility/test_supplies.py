"""Supplies in the facility file: written, checked, changed, ended, and their past."""

import pytest

from app.errors import Conflict, Invalid
from app.services.facility.apply_facility import apply
from app.services.facility.catalog import create, patch, remove
from app.services.facility.file import parse
from app.services.facility.objects import describe
from app.services.facility.validation_errors import FacilityErrors
from app.store.facility import Psus, SharedSupply
from tests.facility.conftest import ms

FILE = """\
[site]
key = "lab"
[devices.pdu]
kind = "pdu"
[nodes.n1]
[nodes.n2]
[supplies.c1]
nodes = ["n2", "n1"]
feeds = ["pdu/outlet/2", "pdu/outlet/1"]
psus = { n = 2, m = 1 }
split = "bmc"
"""


def said(stores, text, **options):
    return [change.text for change in apply(stores, parse(text, "facility.toml"), **options)]


def mistakes(stores, text):
    with pytest.raises(FacilityErrors) as caught:
        said(stores, text)
    return [(mistake.where, mistake.detail) for mistake in caught.value.errors]


def test_written_kept_and_written_again(stores):
    assert said(stores, FILE)[-1] == (
        '+ supplies.c1: site "lab", nodes ["n1", "n2"], feeds ["pdu/outlet/1", "pdu/outlet/2"], '
        'psus {"n": 2, "m": 1}, split "bmc"'
    )
    facility = stores.facility.now()
    supply = facility.supplies["c1"]
    assert supply == SharedSupply(
        key="c1", site="lab", nodes=("n1", "n2"), feeds=("pdu/outlet/1", "pdu/outlet/2"), psus=Psus(2, 1), split="bmc"
    )
    assert supply.valid_from_ms == 0
    assert facility.supply_of("n1") == supply
    assert [feed.key for feed in facility.powering("n2")] == ["pdu/outlet/1", "pdu/outlet/2"]
    assert facility.nodes_metered_by({"pdu"}) == {"n1", "n2"}
    assert said(stores, FILE) == []


def test_a_change_leaves_the_past(stores, clock):
    said(stores, FILE)
    since = ms("2026-02-01T00:00:00Z")
    changed = FILE.replace('"bmc"', '"equal"').replace(', "pdu/outlet/1"', ', "pdu/outlet/3"')
    assert said(stores, changed, effective_ms=since) == [
        '~ supplies.c1: feeds −pdu/outlet/1 +pdu/outlet/3; split "bmc" → "equal"'
    ]
    assert stores.facility.at(since - 1).supplies["c1"].split == "bmc"
    assert stores.facility.at(since).supplies["c1"].split == "equal"
    past, present = stores.facility.supplies("n1", 0, clock.now)
    assert (past.valid_to_ms, present.valid_from_ms) == (since, since)


def test_prune_removes_it_before_its_nodes(stores):
    said(stores, FILE)
    left = FILE.partition("[nodes.n1]")[0]
    assert sorted(said(stores, left, prune=True)) == ["- nodes.n1", "- nodes.n2", "- supplies.c1"]


def test_what_hangs_twice_is_a_mistake(stores):
    twice = FILE.replace("[nodes.n2]", '[nodes.n2]\n[nodes.n3]\nfeeds = ["pdu/outlet/2"]\n[nodes.n4]').replace(
        '["n2", "n1"]', '["n2", "n1", "n3"]'
    )
    twice += '[supplies.c2]\nnodes = ["n4", "n1"]\nfeeds = ["pdu/outlet/1"]\n'
    assert mistakes(stores, twice) == [
        ('facility.toml:11: supplies.c1.nodes = "n3"', "it has its own feeds"),
        ('facility.toml:12: supplies.c1.feeds = "pdu/outlet/2"', "it powers nodes.n3 already"),
        ('facility.toml:16: supplies.c2.nodes = "n1"', "supplies.c1 powers it already"),
        ('facility.toml:17: supplies.c2.feeds = "pdu/outlet/1"', "it powers supplies.c1 already"),
    ]


def test_names_that_lead_nowhere(stores):
    lost = FILE.replace('["n2", "n1"]', '["n2", "nl"]').replace('"pdu/outlet/1"', '"pdx/outlet/1"')
    assert mistakes(stores, lost) == [
        ('facility.toml:8: supplies.c1.nodes = "nl"', "no such node"),
        ('facility.toml:9: supplies.c1.feeds = "pdx/outlet/1"', "no such device: pdx"),
    ]


def test_over_the_api(stores):
    said(stores, FILE)
    with pytest.raises(Conflict, match=r"still named by supplies\.c1\.nodes"):
        remove(stores, "node", "n1")
    changed = patch(stores, "supply", "c1", {"split": "none", "psus": None})
    assert describe(changed) == {
        "key": "c1",
        "label": None,
        "site": "lab",
        "nodes": ["n1", "n2"],
        "feeds": ["pdu/outlet/1", "pdu/outlet/2"],
        "psus": None,
        "split": "none",
    }
    with pytest.raises(Invalid, match=r"the node is powered by supplies\.c1"):
        patch(stores, "node", "n1", {"feeds": ["pdu/outlet/9"]})
    assert [change.text for change in remove(stores, "supply", "c1")] == ["- supplies.c1"]
    made = create(stores, "supply", {"key": "c9", "nodes": ["n1"], "feeds": ["pdu/outlet/1"]})
    # its node was powered by another supply: this one is no older than the moment it was made
    assert made.valid_from_ms == stores.now_ms()
