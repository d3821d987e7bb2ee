"""The search over racks, nodes, devices, jobs and users, and whose jobs it finds."""

from dataclasses import replace

import pytest
from argon2 import PasswordHasher

from app.services.access import passwords
from app.store.access import User
from app.store.facility import Device, Node, Rack, Room, Site
from app.store.jobs import Job, JobNode

HOUR_MS = 3_600_000


@pytest.fixture
def found(client):
    def search(q, **more):
        answer = client.get("/api/v1/search", params={"q": q, **more})
        assert answer.status_code == 200, answer.text
        return {g["kind"]: [hit["key"] for hit in g["items"]] for g in answer.json()["groups"]}

    return search


def jobs_of(stores, start, *users):
    for i, user in enumerate(users):
        begin = start - i * HOUR_MS
        job = Job(name=f"train {user}", user=user, job_id=f"47{i}", start_ms=begin, end_ms=begin + 1000)
        stores.jobs.create(replace(job, nodes=(JobNode("n1"),)))


def test_each_kind_is_found_and_the_exact_name_comes_first(hall, found, start):
    hall.facility.upsert(
        [
            Room(key="hall-1", label="North hall"),
            Rack(key="r1", capacity_w=10_000.0, room="hall-1", row="A"),
            Rack(key="r12", label="Rack twelve", room="hall-1"),
            Node(key="r1-n9", rack="r12"),
        ]
    )
    jobs_of(hall, start, "ada", "bob")
    assert found("R1") == {"rack": ["r1", "r12"], "node": ["r1-n9", "n1", "n2"], "device": ["pdu-a"]}
    assert found("n1")["device"] == ["n1-bmc", "n1-exporter"]
    assert found("north twelve") == {"rack": ["r12"], "node": ["r1-n9"]}
    assert found("north hall")["room"] == ["hall-1"]
    assert {kind: len(keys) for kind, keys in found("train").items()} == {"job": 2}
    assert found("ada")["user"] == ["ada"]
    assert found("train ada")["job"] == found("470")["job"]
    assert found("nothing-of-this") == found(" ") == {}


def test_sites_and_outlets_are_found(hall, found, deliver, clock, client):
    hall.facility.upsert([Site(key="bnl", label="Brookhaven"), Rack(key="r1", capacity_w=10_000.0, site="bnl")])
    deliver("pdu-a", clock.now - 10_000, {f"outlet/{n}:power": [700.0, 710.0] for n in (1, 2, 12)})
    assert found("brook")["site"] == ["bnl"]
    # the number begins before it is a part; without a place there would be too many
    assert found("pdu-a outlet 2")["outlet"] == ["pdu-a/outlet/2", "pdu-a/outlet/12"]
    assert "outlet" not in found("outlet 2")
    assert "outlet" not in found("pdu-a 2")
    (outlets,) = [g for g in client.get("/api/v1/search?q=out n1").json()["groups"] if g["kind"] == "outlet"]
    assert [(hit["label"], hit["detail"]) for hit in outlets["items"]] == [("pdu-a outlet 1", "powers n1")]


def test_the_number_of_an_outlet_comes_before_one_in_the_name_of_its_rack(hall, found, deliver, clock):
    hall.facility.upsert([Rack(key="r2", capacity_w=10_000.0), Device(key="pdu-2", kind="pdu", rack="r2")])
    deliver("pdu-2", clock.now - 10_000, {f"outlet/{n}:power": [700.0, 710.0] for n in (1, 2, 12)})
    assert found("r2 outlet 2")["outlet"][0] == "pdu-2/outlet/2"
    assert found("pdu-2 outlet 2")["outlet"][0] == "pdu-2/outlet/2"


def test_more_says_that_there_are_others(hall, client):
    (nodes,) = [g for g in client.get("/api/v1/search?q=n&limit=2").json()["groups"] if g["kind"] == "node"]
    assert ([hit["key"] for hit in nodes["items"]], nodes["more"]) == (["n1", "n2"], True)
    (nodes,) = [g for g in client.get("/api/v1/search?q=n&limit=3").json()["groups"] if g["kind"] == "node"]
    assert nodes["more"] is False


def test_a_hit_says_where_it_is_and_what_it_draws_if_that_is_at_hand(hall, client, deliver, clock):
    hall.facility.upsert([Node(key="n1", label="lise", model="m", rack="r1", feeds=("pdu-a/outlet/1",))])
    deliver("pdu-a", clock.now - 10_000, {"outlet/1:power": [700.0, 710.0]})

    def lise():
        (group,) = [g for g in client.get("/api/v1/search?q=lise").json()["groups"] if g["kind"] == "node"]
        return group["items"][0]

    assert (lise()["detail"], lise()["power_w"]) == ("n1 · rack r1 · m", None)
    client.get("/api/v1/power")
    assert lise()["power_w"] == 710.0


@pytest.mark.parametrize("policy", ["hidden", "totals"])
def test_jobs_and_users_that_one_may_not_see_are_not_found(make_client, people_on, policy, start):
    closed = make_client(host="0.0.0.0", jobs_of_others=policy)
    jobs_of(closed.app.state.stores, start, "ada", "bob")
    sign_in = people_on(closed)

    def found(user, q):
        sign_in(user)
        groups = closed.get("/api/v1/search", params={"q": q}).json()["groups"]
        return {g["kind"]: [hit["label"] for hit in g["items"]] for g in groups}

    assert found("ada", "train") == {"job": ["train ada"]}
    assert found("ada", "bob") == found("ada", "471") == {}
    assert found("root", "train") == {"job": ["train ada", "train bob"]}
    assert found("root", "bob") == {"job": ["train bob"], "user": ["bob"]}
    assert found("root", "roo") == {"user": ["root"]}


@pytest.fixture
def people_on(monkeypatch):
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: cheap)

    def prepare(client):
        for name, role in (("ada", "researcher"), ("root", "admin")):
            client.app.state.stores.users.create(User(name, (role,), password=passwords.hash_password("correct horse")))

        def enter(name):
            client.cookies.clear()
            body = {"user": name, "password": "correct horse"}
            assert client.post("/api/v1/session", json=body).status_code == 201

        return enter

    return prepare
