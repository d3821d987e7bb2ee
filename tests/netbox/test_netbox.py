"""NetBox's answers become objects: by hand, from files, and from a server that turns pages."""

import json
from dataclasses import replace

import pytest

from app.errors import Forbidden, Invalid, NotFound, Unavailable
from app.importers.netbox.plan import Wish, netbox_plan
from app.importers.netbox.records import Inventory
from app.importers.netbox.source import authorization, read_sources
from app.services.facility.apply_facility import apply
from app.services.facility.export import facility_text
from app.services.facility.file import parse
from app.services.stores import open_stores
from app.settings import Settings
from app.store.facility import Breaker, Device, Model, Node, Rack, SharedSupply
from tests.netbox.answers import BASE, LISTS, OUTLETS, answer
from tests.netbox.server import Server, paged

SERVERS = Wish(roles=("server",))


@pytest.fixture
def stores(sqlite_engine, tmp_path):
    return open_stores(Settings(data_dir=tmp_path), lambda: 1_795_176_000_000, sqlite_engine)


def inventory(**other):
    found = Inventory()
    for kind, rows in (LISTS | {name.replace("_", "-"): rows for name, rows in other.items()}).items():
        found.take(rows, kind)
    return found


def test_what_is_where_and_hangs_on_what(stores):
    found = netbox_plan(inventory(), stores.facility.now(), SERVERS)
    breaker = Breaker(amps=50, phases=3, volts=208, derating=0.8)
    assert list(found.plan.objects) == [
        Rack(key="R-07", label="R 07", height_u=48),
        Device(key="pdu-r07-a", kind="pdu", rack="R-07", feed="A", breaker=breaker),
        Device(key="pdu-r07-b", kind="pdu", rack="R-07", feed="B", breaker=breaker),
        Node(key="hgx-01", rack="R-07", position_u=10, feeds=("pdu-r07-a/outlet/1", "pdu-r07-b/outlet/1")),
        Node(key="hgx-02", rack="R-07", feeds=("pdu-r07-a/outlet/2",)),
        Node(key="quad-1", rack="R-07"),
        Node(key="quad-2", rack="R-07"),
        SharedSupply(key="quad", nodes=("quad-1", "quad-2"), feeds=("pdu-r07-a/outlet/4", "pdu-r07-b/outlet/4")),
    ]
    assert list(found.notes) == [
        "hgx-02 PSU2: its cable is not in use yet: skipped",
        "hgx-02 PSU3 has no cable: skipped",
        "lone PSU1 is powered by RPP1-9, which no meter measures: skipped",
        "hgx-01: model hgx-h100 is not declared: its rated power is unknown",
        "hgx-02: model hgx-h100 is not declared: its rated power is unknown",
        "hgx-02: its position is half a unit, U18.5: skipped",
        "quad-1: model c6420 is not declared: its rated power is unknown",
        "quad-2: model c6420 is not declared: its rated power is unknown",
        "pdu-r07-a: new, without an address: add address and auth to poll it",
        "pdu-r07-b: new, without an address: add address and auth to poll it",
    ]


def test_what_an_operator_declared_stays(stores):
    mine = Breaker(amps=32, phases=3, volts=400)
    stores.facility.upsert(
        [
            Model(key="hgx-h100", rated_w=10_200),
            Device(key="pdu-r07-a", kind="pdu", address="snmp://10.0.0.7", feed="left", breaker=mine),
            Node(key="hgx-01", model="hgx-h100", bmc="https://10.0.2.1", feeds=("pdu-r07-a/outlet/9",)),
        ]
    )
    found = netbox_plan(inventory(), stores.facility.now(), SERVERS)
    objects = {thing.key: thing for thing in found.plan.objects}
    assert objects["pdu-r07-a"] == Device(
        key="pdu-r07-a", kind="pdu", rack="R-07", address="snmp://10.0.0.7", feed="left", breaker=mine
    )
    assert objects["hgx-01"] == Node(
        key="hgx-01",
        model="hgx-h100",
        rack="R-07",
        position_u=10,
        bmc="https://10.0.2.1",
        feeds=("pdu-r07-a/outlet/1", "pdu-r07-b/outlet/1"),
    )
    assert objects["hgx-02"].model == "hgx-h100"
    assert any(note.startswith("pdu-r07-a: NetBox has Breaker(amps=50") for note in found.notes)


def test_all_roles_and_one_site(stores):
    every = netbox_plan(inventory(), stores.facility.now(), Wish())
    assert "sw-1" in {thing.key for thing in every.plan.objects}
    with pytest.raises(Invalid, match="no device at a site 'elsewhere'"):
        netbox_plan(inventory(), stores.facility.now(), Wish(site="elsewhere"))
    here = netbox_plan(inventory(), stores.facility.now(), Wish(site="bnl"))
    assert (here.plan.site, {getattr(t, "site", "bnl") for t in here.plan.objects}) == ("bnl", {"bnl"})


def test_an_outlet_without_a_number_is_a_mistake_and_a_pattern_finds_it(stores):
    odd = [o | {"name": f"{o['name'][-1]} (C13)", "display": "x"} for o in OUTLETS]
    with pytest.raises(Invalid, match="contains no number") as caught:
        netbox_plan(inventory(power_outlets=odd), stores.facility.now(), SERVERS)
    assert len(caught.value.errors) == 5
    found = netbox_plan(inventory(power_outlets=odd), stores.facility.now(), replace(SERVERS, outlet=r"^(\d+)"))
    assert next(t.feeds for t in found.plan.objects if t.key == "hgx-02") == ("pdu-r07-a/outlet/2",)


def test_the_text_is_read_back_as_the_same(stores):
    found = netbox_plan(inventory(), stores.facility.now(), SERVERS)
    plan = parse(facility_text(found.plan.objects), "facility.toml")
    assert plan.mistakes == ()
    assert {t.key: t for t in plan.objects} == {t.key: t for t in found.plan.objects}
    apply(stores, found.plan)
    assert apply(stores, plan) == []


def test_a_moved_cable_moves_the_cord_from_now_on(stores):
    apply(stores, netbox_plan(inventory(), stores.facility.now(), SERVERS).plan, effective_ms=1_000)
    ports = [p | {} for p in LISTS["power-ports"]]
    moved = next(p for p in ports if p["name"] == "PSU1" and p["device"]["name"] == "hgx-02")
    moved["connected_endpoints"] = [OUTLETS[2]]
    (change,) = apply(stores, netbox_plan(inventory(power_ports=ports), stores.facility.now(), SERVERS).plan)
    assert change.text == "~ nodes.hgx-02: feeds −pdu-r07-a/outlet/2 +pdu-r07-a/outlet/3"
    assert stores.facility.at(1_795_000_000_000).nodes["hgx-02"].feeds == ("pdu-r07-a/outlet/2",)


def test_files_name_their_kind_by_the_addresses_in_them(tmp_path):
    for kind, rows in LISTS.items():
        (tmp_path / f"{kind}.json").write_text(json.dumps(answer(rows)))
    read = read_sources([str(path) for path in sorted(tmp_path.iterdir())])
    assert {kind: len(found) for kind, found in read.found.items()} == {k: len(rows) for k, rows in LISTS.items()}


def test_files_that_are_none(tmp_path):
    (tmp_path / "torn.json").write_text("{")
    (tmp_path / "other.json").write_text('{"hello": 1}')
    (tmp_path / "foreign.json").write_text('[{"id": 1}]')
    old = {"id": 1, "url": f"{BASE}/power-ports/1/", "name": "PSU1"}
    (tmp_path / "old.json").write_text(json.dumps([old]))
    for name, what in (
        ("torn", "not JSON"),
        ("other", "not a list"),
        ("foreign", "not an object of NetBox"),
        ("old", "device"),
    ):
        with pytest.raises(Invalid, match=what):
            read_sources([str(tmp_path / f"{name}.json")])
    with pytest.raises(NotFound):
        read_sources([str(tmp_path / "nowhere.json")])


def test_a_server_page_by_page_and_the_token_stays_with_it():
    with Server(paged) as server:
        read = read_sources([f"{server.url}/"], "nbt_abc.def")
        assert {kind: len(found) for kind, found in read.found.items()} == {k: len(rows) for k, rows in LISTS.items()}
        # 9 devices, 1 rack, 11 ports, 8 outlets, 2 feeds in pages of three
        assert len(server.requests) == 3 + 1 + 4 + 3 + 1
        with pytest.raises(Forbidden, match="answered 403"):
            read_sources([server.url], "wrong")


def test_servers_that_are_none():
    circle = answer([]) | {"next": f"{BASE}/devices/?offset=0"}
    with Server(lambda request: (200, circle)) as server, pytest.raises(Invalid, match="form a loop"):
        read_sources([server.url])
    with Server(lambda request: (200, "<html>")) as server, pytest.raises(Invalid, match="not JSON"):
        read_sources([server.url])
    with pytest.raises(Unavailable):
        read_sources(["http://127.0.0.1:9"])
    with pytest.raises(Invalid, match="cannot be combined"):
        read_sources(["http://127.0.0.1:9", "file.json"])


def test_tokens_of_both_versions():
    assert authorization("nbt_abc.def") == "Bearer nbt_abc.def"
    assert authorization("0123456789abcdef0123456789abcdef01234567") == "Token 0123456789abcdef0123456789abcdef01234567"
