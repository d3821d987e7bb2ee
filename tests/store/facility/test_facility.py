import pytest
from sqlalchemy import text

from app.store.database.engine import reading
from app.store.facility import Auth, Breaker, Device, Model, Node, Rack, Room, Site
from app.store.facility.facility import FacilityStore

JAN, FEB, MAR, APR, NOW = 1_000, 2_000, 3_000, 4_000, 5_000


@pytest.fixture
def facility(engine):
    return FacilityStore(engine, lambda: NOW)


def rated(facility, t_ms):
    model = facility.at(t_ms).models.get("hgx")
    return model.rated_w if model else None


def feeds(facility, t_ms, node="n1"):
    found = facility.at(t_ms).nodes.get(node)
    return found.feeds if found else None


def rows(engine, name):
    with reading(engine) as connection:
        return connection.scalar(text(f"SELECT count(*) FROM {name}"))


def test_an_empty_facility(facility):
    now = facility.now()
    assert (now.sites, now.nodes, now.connections_of("n1"), now.get("rack", "r1")) == ({}, {}, (), None)


def test_every_kind_of_object_comes_back_as_it_was_given(facility, engine):
    given = [
        Site(key="bnl", label="Brookhaven", timezone="America/New_York"),
        Room(key="hall", site="bnl"),
        Rack(key="r07", site="bnl", room="hall", row="A", position=7, capacity_w=70_000.0, height_u=42),
        Model(key="hgx", rated_w=10_200.0, budget_w=9_000.0, control_w=8_480.0, idle_w=1_790.0, gpus=8, height_u=8),
        Device(
            key="pdu-a", kind="pdu", site="bnl", rack="r07", profile="apc-rpdu2", address="snmp://10.0.0.7",
            auth="ro", interval_s=10.0, timeout_s=2.5, feed="A", breaker=Breaker(50.0, 3, 208.0, 0.8),
        ),
        Node(
            key="n1", site="bnl", rack="r07", model="hgx", position_u=10, height_u=8, bmc="https://10.0.2.1",
            exporters=("http://10.0.1.1/metrics",), feeds=("pdu-a/outlet/1", "pdu-a/outlet/2"),
        ),
        Auth(key="ro", settings={"snmp": "2c", "community": "env:PDU_COMMUNITY"}),
    ]  # fmt: skip
    changes = facility.upsert(given)
    assert [(c.kind, c.key, c.action, c.before) for c in changes] == [
        (kind, thing.key, "create", None)
        for kind, thing in zip(("site", "room", "rack", "model", "device", "node", "auth"), given, strict=True)
    ]
    now = FacilityStore(engine, lambda: NOW).now()
    assert [now.get(change.kind, change.key) for change in changes] == given
    assert now.racks["r07"].title == "r07"
    assert now.sites["bnl"].title == "Brookhaven"
    assert now.model_of(now.nodes["n1"]) == given[3]
    assert now.nodes_in("r07") == (given[5],)


def test_what_is_created_has_always_been(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)], effective_ms=MAR)
    assert [rated(facility, t) for t in (0, JAN, NOW)] == [10, 10, 10]


def test_a_change_leaves_the_past_alone(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)])
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=MAR)
    assert [rated(facility, t) for t in (FEB, MAR - 1, MAR, NOW)] == [10, 10, 12, 12]
    assert [(m.valid_from_ms, m.valid_to_ms) for m in facility.versions("model", "hgx")] == [(0, MAR), (MAR, None)]
    assert facility.moments(0, NOW) == [MAR]
    assert facility.moments(MAR, NOW) == []


def test_what_is_equal_is_no_change(facility, engine):
    node = Node(key="n1", feeds=("pdu/outlet/2", "pdu/outlet/1"))
    facility.upsert([node])
    assert facility.upsert([node, Node(key="n1", feeds=("pdu/outlet/1", "pdu/outlet/2"))]) == []
    assert (rows(engine, "node"), rows(engine, "power_connection"), rows(engine, "facility_change")) == (1, 2, 1)


def test_a_correction_of_the_past_replaces_what_was_known_from_there_on(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)])
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=MAR)
    changes = facility.upsert([Model(key="hgx", rated_w=11.0)], effective_ms=FEB)
    assert [(c.action, c.before.rated_w, c.after.rated_w) for c in changes] == [("change", 10, 11)]
    assert [rated(facility, t) for t in (JAN, FEB, MAR, NOW)] == [10, 11, 11, 11]


def test_taking_a_change_back_from_the_start_restores_the_one_before(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)])
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=MAR)
    facility.upsert([Model(key="hgx", rated_w=10.0)], effective_ms=FEB)
    assert [rated(facility, t) for t in (JAN, FEB, MAR, NOW)] == [10, 10, 10, 10]
    assert len(facility.versions("model", "hgx")) == 1


def test_a_planned_change_waits_and_a_later_decision_replaces_it(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)])
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=NOW + 100)
    assert (rated(facility, NOW), rated(facility, NOW + 100)) == (10, 12)
    facility.upsert([Model(key="hgx", rated_w=11.0)])
    assert (rated(facility, NOW), rated(facility, NOW + 100)) == (11, 11)


def test_the_deleted_keeps_its_past_and_may_come_back(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)])
    assert facility.delete("model", "hgx", FEB)
    assert not facility.delete("model", "hgx", FEB)
    assert [rated(facility, t) for t in (JAN, FEB, NOW)] == [10, None, None]
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=APR)
    assert [rated(facility, t) for t in (JAN, FEB, APR)] == [10, None, 12]


def test_the_first_cords_of_a_node_have_always_been(facility):
    facility.upsert([Node(key="n1")])
    facility.upsert([Node(key="n1", feeds=("pdu/outlet/1",))], effective_ms=MAR)
    assert feeds(facility, JAN) == ("pdu/outlet/1",)


def test_moving_a_cord_leaves_last_month_alone(facility):
    facility.upsert([Node(key="n1", feeds=("pdu/outlet/1", "pdu/outlet/2"))])
    changes = facility.upsert([Node(key="n1", feeds=("pdu/outlet/2", "pdu/outlet/3"))], effective_ms=MAR)
    assert [(c.before.feeds, c.after.feeds) for c in changes] == [
        (("pdu/outlet/1", "pdu/outlet/2"), ("pdu/outlet/2", "pdu/outlet/3"))
    ]
    assert feeds(facility, FEB) == ("pdu/outlet/1", "pdu/outlet/2")
    assert feeds(facility, MAR) == ("pdu/outlet/2", "pdu/outlet/3")
    assert [(f.key, f.valid_from_ms, f.valid_to_ms) for f in facility.feeds("n1", FEB, APR)] == [
        ("pdu/outlet/1", 0, MAR),
        ("pdu/outlet/2", 0, None),
        ("pdu/outlet/3", MAR, None),
    ]
    assert [f.key for f in facility.feeds("n1", MAR, APR)] == ["pdu/outlet/2", "pdu/outlet/3"]
    assert [f.key for f in facility.feeds("n1", JAN, MAR)] == ["pdu/outlet/1", "pdu/outlet/2"]


def test_a_node_is_deleted_with_its_cords(facility):
    facility.upsert([Node(key="n1", feeds=("pdu/outlet/1",))])
    facility.delete("node", "n1", MAR)
    assert (feeds(facility, FEB), feeds(facility, MAR)) == (("pdu/outlet/1",), None)
    assert facility.now().connections_of("n1") == ()


def test_nothing_is_half_applied(facility, engine):
    facility.upsert([Model(key="hgx", rated_w=10.0)])

    def refuse(future):
        assert future.models["hgx"].rated_w == 12.0
        assert list(future.nodes) == ["n1"]
        raise LookupError("no such rack")

    with pytest.raises(LookupError):
        facility.apply([Model(key="hgx", rated_w=12.0), Node(key="n1", feeds=("pdu/outlet/1",))], guard=refuse)
    assert rated(facility, NOW) == 10
    assert (rows(engine, "node"), rows(engine, "power_connection"), rows(engine, "facility_change")) == (0, 0, 1)


def test_a_dry_run_tells_and_changes_nothing(facility, engine):
    facility.upsert([Model(key="hgx", rated_w=10.0), Rack(key="r1")])
    changes = facility.apply([Model(key="hgx", rated_w=12.0)], [("rack", "r1"), ("rack", "none")], dry_run=True)
    assert [(c.kind, c.key, c.action) for c in changes] == [("rack", "r1", "delete"), ("model", "hgx", "change")]
    assert rated(facility, NOW) == 10
    assert list(facility.now().racks) == ["r1"]
    assert rows(engine, "facility_change") == 2


def test_the_last_word_on_a_key_counts(facility):
    facility.upsert([Rack(key="r1", height_u=40)])
    facility.apply([Rack(key="r1", height_u=42), Rack(key="r1", height_u=48)], [("rack", "r1")])
    assert facility.now().racks["r1"].height_u == 48
    assert [r.height_u for r in facility.versions("rack", "r1")] == [40, 48]


def test_other_processes_see_a_change(facility, engine):
    other = FacilityStore(engine, lambda: NOW)
    assert other.now().racks == {}
    facility.upsert([Rack(key="r1")])
    assert list(other.now().racks) == ["r1"]
    facility.delete("rack", "r1")
    assert other.now().racks == {}


def test_snapshots_are_shared_between_changes(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)])
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=MAR)
    assert facility.at(MAR) is facility.at(NOW)
    assert facility.at(FEB) is not facility.at(NOW)


def test_the_record_names_every_change(facility, engine):
    facility.upsert([Model(key="hgx", rated_w=10.0)], effective_ms=JAN)
    facility.delete("model", "hgx", MAR)
    with reading(engine) as connection:
        found = connection.execute(
            text("SELECT made_ms, effective_ms, kind, key, action FROM facility_change ORDER BY id")
        ).all()
    assert found == [(NOW, JAN, "model", "hgx", "create"), (NOW, MAR, "model", "hgx", "delete")]


def test_corrections_are_reported_by_when_they_were_made_and_from_when_they_hold(facility):
    facility.upsert([Model(key="hgx", rated_w=10.0)], effective_ms=MAR)
    facility.upsert([Model(key="hgx", rated_w=12.0)], effective_ms=MAR)
    assert facility.corrections(NOW) == [(NOW, 0), (NOW, MAR)]
    assert facility.corrections(NOW + 1) == []
