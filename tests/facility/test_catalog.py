"""The facility's objects over HTTP."""

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.server.application import create_app
from app.settings import Settings
from app.store.database.engine import migrate, open_engine
from app.store.devices.health import PollFailure
from tests.checked_client import client_of
from tests.facility.conftest import Clock, ms

FILE = """\
[site]
key = "lab"
timezone = "Europe/Berlin"
[racks.r1]
room = "hall"
[models.gpu]
rated_w = 2400
[devices.pdu]
address = "snmp://10.0.0.7"
auth = "ro"
[nodes.n1]
model = "gpu"
rack = "r1"
feeds = ["pdu/outlet/1"]
[auth.ro]
snmp = "2c"
community = "env:COMMUNITY"
"""


@pytest.fixture
def client(tmp_path: Path, clock: Clock):
    settings = Settings(data_dir=tmp_path, database_url=f"sqlite:///{tmp_path / 'facility.db'}")
    engine = open_engine(settings.database_url)
    migrate(engine)
    with client_of(create_app(settings, clock, engine)) as opened:
        yield opened
    engine.dispose()


@pytest.fixture
def lab(client: TestClient) -> TestClient:
    answer = client.post("/api/v1/facility", content=FILE, headers={"Content-Type": "text/toml"})
    assert answer.status_code == 200
    return client


def test_a_file_is_applied_through_the_api(client):
    send = {"content": FILE, "headers": {"Content-Type": "text/toml"}}
    told = client.post("/api/v1/facility?dry_run=true", **send).json()
    assert client.get("/api/v1/nodes").json() == {"items": [], "next": None}

    done = client.post("/api/v1/facility", **send).json()
    assert done == told
    assert [(change["kind"], change["key"], change["action"]) for change in done["changes"]] == [
        ("room", "hall", "create"),
        ("site", "lab", "create"),
        ("rack", "r1", "create"),
        ("model", "gpu", "create"),
        ("device", "pdu", "create"),
        ("node", "n1", "create"),
        ("auth", "ro", "create"),
    ]
    assert done["changes"][3]["fields"] == {"rated_w": [None, 2400.0]}
    assert done["warnings"] == ["points are not checked because the device was never polled: pdu"]
    assert client.post("/api/v1/facility", **send).json()["changes"] == []


def test_the_mistakes_of_a_file_are_a_problem(client):
    text = 'cords = "c.csv"\n[models.gpu]\nrated_w = 0\n'
    answer = client.post("/api/v1/facility", content=text, headers={"Content-Type": "text/toml"})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "bad_facility"
    assert answer.json()["errors"] == [
        {
            "where": 'facility.toml:1: cords = "c.csv"',
            "detail": "a request cannot include another file",
            "hint": "write the cords as feeds of the nodes",
        },
        {
            "where": "facility.toml:3: models.gpu.rated_w = 0",
            "detail": "must be greater than 0",
            "hint": "nameplate power in watts, e.g. 10200",
        },
    ]


def test_create_and_get(client):
    answer = client.post("/api/v1/models", json={"key": "gpu", "rated_w": 2400, "gpus": 4})

    model = {
        "key": "gpu",
        "label": None,
        "rated_w": 2400.0,
        "budget_w": None,
        "control_w": None,
        "idle_w": None,
        "gpus": 4,
        "gpu_tdp_w": None,
        "gpu_slices": None,
        "cores": None,
        "height_u": None,
        "outlet_type": None,
        "valid_from": None,
        "valid_to": None,
    }
    assert (answer.status_code, answer.json()) == (201, model)
    assert answer.headers["location"] == "/api/v1/models/gpu"
    got = client.get("/api/v1/models/gpu")
    assert (got.status_code, got.json()) == (200, model)
    assert got.headers["etag"] == answer.headers["etag"]


def test_a_taken_key(lab):
    answer = lab.post("/api/v1/models", json={"key": "gpu", "rated_w": 1})

    assert (answer.status_code, answer.json()["code"]) == (409, "exists")
    assert answer.json()["hint"] == "PATCH /api/v1/models/gpu changes it"


def test_everything_wrong_with_a_body_at_once(lab):
    answer = lab.post(
        "/api/v1/nodes", json={"key": "n 2", "modl": "gpu", "position_u": 0, "feeds": ["pdu/outlet/1:power"]}
    )

    assert (answer.status_code, answer.json()["code"]) == (422, "bad_facility")
    assert [(error["where"], error["detail"]) for error in answer.json()["errors"]] == [
        ("nodes.n 2.position_u = 0", "must be at least 1"),
        ('nodes.n 2.feeds = "pdu/outlet/1:power"', "names a quantity"),
        ('nodes.n 2.key = "n 2"', "not a name"),
        ('nodes.n 2.modl = "gpu"', "unknown key"),
    ]


@pytest.mark.parametrize(
    ("kind", "body", "detail"),
    [
        ("nodes", {"key": "n2", "rack": "r9"}, 'nodes.n2.rack = "r9": no such rack'),
        (
            "nodes",
            {"key": "n2", "feeds": ["pdu/outlet/1"]},
            'nodes.n2.feeds = "pdu/outlet/1": it powers nodes.n1 already',
        ),
        ("nodes", {"key": "pdu"}, "nodes.pdu: devices.pdu has the same name"),
        ("racks", {"key": "r2", "site": "moon"}, 'racks.r2.site = "moon": no such site'),
        ("devices", {"key": "d2", "auth": "rw"}, 'devices.d2.auth = "rw": no such auth'),
        ("auths", {"key": "a2", "community": "public"}, "auth.a2.community = ***: a secret must not be written here"),
        ("models", {"rated_w": 1}, "models.key: is missing"),
    ],
)
def test_the_checks_of_the_file_are_those_of_the_api(lab, kind, body, detail):
    answer = lab.post(f"/api/v1/{kind}", json=body)

    assert (answer.status_code, answer.json()["detail"]) == (422, detail)
    assert len(lab.get(f"/api/v1/{kind}").json()["items"]) == 1


def test_only_objects_are_bodies(lab):
    assert lab.post("/api/v1/models", json=[1]).status_code == 422
    assert lab.post("/api/v1/models", content=b"{").status_code == 422


def test_patch_merges(lab):
    lab.patch("/api/v1/devices/pdu", json={"breaker": {"amps": 50, "phases": 3, "volts": 208}})
    answer = lab.patch("/api/v1/devices/pdu", json={"breaker": {"derating": 0.8}, "label": "Left"})
    assert answer.status_code == 200
    assert answer.json()["breaker"] == {"amps": 50.0, "phases": 3, "volts": 208.0, "derating": 0.8}
    assert (answer.json()["label"], answer.json()["auth"]) == ("Left", "ro")

    cleared = lab.patch("/api/v1/devices/pdu", json={"breaker": None, "auth": None}).json()
    assert (cleared["breaker"], cleared["auth"], cleared["label"]) == (None, None, "Left")


def test_a_key_stays(lab):
    answer = lab.patch("/api/v1/nodes/n1", json={"key": "n2"})
    assert (answer.status_code, answer.json()["code"]) == (422, "key_changed")


def test_etags(lab):
    etag = lab.get("/api/v1/nodes/n1").headers["etag"]
    first = lab.patch("/api/v1/nodes/n1", json={"label": "One"}, headers={"If-Match": etag})
    second = lab.patch("/api/v1/nodes/n1", json={"label": "Two"}, headers={"If-Match": etag})
    third = lab.delete("/api/v1/nodes/n1", headers={"If-Match": etag})

    assert [answer.status_code for answer in (first, second, third)] == [200, 412, 412]
    assert second.json()["code"] == "stale"
    assert lab.get("/api/v1/nodes/n1").json()["label"] == "One"
    assert lab.delete("/api/v1/nodes/n1", headers={"If-Match": first.headers["etag"]}).status_code == 204


def test_feeds_are_part_of_the_etag(lab):
    before = lab.get("/api/v1/nodes/n1").headers["etag"]
    lab.patch("/api/v1/nodes/n1", json={"feeds": ["pdu/outlet/2"]})
    assert lab.get("/api/v1/nodes/n1").headers["etag"] != before


def test_a_change_keeps_the_past(lab, clock):
    lab.patch("/api/v1/nodes/n1?effective=2026-02-01T00:00:00Z", json={"feeds": ["pdu/outlet/2"]})

    def feeds(at: str) -> list[str]:
        return lab.get(f"/api/v1/nodes/n1?at={at}").json()["feeds"]

    assert feeds("2026-01-31T23:59:59Z") == ["pdu/outlet/1"]
    assert feeds("2026-02-01T00:00:00Z") == ["pdu/outlet/2"]
    lab.patch("/api/v1/models/gpu?effective=2026-02-01T00:00:00Z", json={"rated_w": 2600})
    assert lab.get("/api/v1/models/gpu").json()["valid_from"] == "2026-02-01T00:00:00Z"


def test_delete_ends_and_keeps_the_past(lab, clock):
    assert lab.delete("/api/v1/nodes/n1").status_code == 204
    assert lab.get("/api/v1/nodes/n1").status_code == 404
    assert lab.get("/api/v1/nodes/n1?at=2026-02-28T00:00:00Z").json()["feeds"] == ["pdu/outlet/1"]
    assert lab.delete("/api/v1/nodes/n1").json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("address", "users"),
    [
        ("sites/lab", "sites"),
        ("racks/r1", "nodes.n1.rack"),
        ("models/gpu", "nodes.n1.model"),
        ("devices/pdu", "nodes.n1.feeds"),
        ("auths/ro", "devices.pdu.auth"),
        ("rooms/hall", "racks.r1.room"),
    ],
)
def test_what_is_named_cannot_be_deleted(lab, address, users):
    answer = lab.delete(f"/api/v1/{address}")

    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    if users == "sites":
        users = "rooms.hall.site, racks.r1.site, devices.pdu.site, nodes.n1.site"
    assert answer.json()["detail"].endswith(f" is still named by {users}")
    assert lab.get(f"/api/v1/{address}").status_code == 200


def test_a_node_brings_and_takes_its_devices(lab):
    lab.post("/api/v1/nodes", json={"key": "n2", "rack": "r1", "bmc": "https://10.0.2.1"})
    device = lab.get("/api/v1/devices/n2-bmc").json()
    assert (device["kind"], device["address"], device["node"], device["site"]) == (
        "bmc",
        "https://10.0.2.1",
        "n2",
        "lab",
    )

    for answer in (lab.patch("/api/v1/devices/n2-bmc", json={"label": "x"}), lab.delete("/api/v1/devices/n2-bmc")):
        assert (answer.status_code, answer.json()["code"]) == (409, "made_by_node")
        assert answer.json()["hint"] == "PATCH bmc of /api/v1/nodes/n2"
    lab.patch("/api/v1/nodes/n2", json={"bmc": None, "exporters": ["http://h:9400/metrics"]})
    assert lab.get("/api/v1/devices/n2-bmc").status_code == 404
    assert lab.get("/api/v1/devices/n2-exporter").status_code == 200
    lab.delete("/api/v1/nodes/n2")
    assert lab.get("/api/v1/devices/n2-exporter").status_code == 404


def test_a_rack_may_name_a_new_room(lab):
    assert lab.post("/api/v1/racks", json={"key": "r2", "room": "attic"}).json()["site"] == "lab"
    assert lab.get("/api/v1/rooms/attic").json()["site"] == "lab"


def test_lists_are_paged_and_by_site(lab):
    lab.post("/api/v1/sites", json={"key": "moon"})
    for key in ("a1", "a2", "a3"):
        lab.post("/api/v1/racks", json={"key": key, "site": "moon"})

    first = lab.get("/api/v1/racks?site=moon&limit=2").json()
    rest = lab.get(f"/api/v1/racks?site=moon&limit=2&cursor={first['next']}").json()
    assert [rack["key"] for rack in first["items"]] == ["a1", "a2"]
    assert ([rack["key"] for rack in rest["items"]], rest["next"]) == (["a3"], None)
    assert [rack["key"] for rack in lab.get("/api/v1/racks?site=lab").json()["items"]] == ["r1"]
    assert [model["key"] for model in lab.get("/api/v1/models?site=moon").json()["items"]] == ["gpu"]


def test_auths_are_references(lab):
    assert lab.get("/api/v1/auths/ro").json() == {
        "key": "ro",
        "label": None,
        "snmp": "2c",
        "community": "env:COMMUNITY",
        "valid_from": None,
        "valid_to": None,
    }
    changed = lab.patch("/api/v1/auths/ro", json={"community": "file:/run/community"}).json()
    assert (changed["snmp"], changed["community"]) == ("2c", "file:/run/community")


def test_a_device_tells_its_health(lab):
    assert lab.get("/api/v1/devices/pdu").json()["health"] == {
        "last_reading": None,
        "failures_24h": 0,
        "last_failure": None,
    }
    lab.app.state.stores.health.record_failures(
        [PollFailure("pdu", ms("2026-03-01T11:59:00Z"), "device_timeout", "no answer", 3000, "c")]
    )
    health = {
        "last_reading": None,
        "failures_24h": 1,
        "last_failure": {"t": "2026-03-01T11:59:00Z", "code": "device_timeout", "detail": "no answer"},
    }
    assert lab.get("/api/v1/devices/pdu").json()["health"] == health
    assert lab.get("/api/v1/devices").json()["items"][0]["health"] == health


def test_the_document_describes_the_bodies(client):
    document = client.get("/api/v1/openapi.json").json()
    paths, schemas = document["paths"], document["components"]["schemas"]
    post = paths["/api/v1/devices"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    patch = paths["/api/v1/devices/{key}"]["patch"]["requestBody"]["content"]["application/json"]["schema"]

    assert post == {"$ref": "#/components/schemas/DeviceBody"}
    assert patch == {"$ref": "#/components/schemas/DeviceChange"}
    body = schemas["DeviceBody"]
    assert body["required"] == ["key"]
    assert set(body["properties"]) == {
        "key", "site", "label", "kind", "profile", "address", "auth", "interval_s", "timeout_s", "rack", "feed",
        "breaker", "branches", "node", "model", "outlet_types", "installed_on", "ct_primary_a",
    }  # fmt: skip
    breaker = body["properties"]["breaker"]["anyOf"][0]["$ref"].rpartition("/")[2]
    assert schemas[breaker]["properties"]["amps"]["exclusiveMinimum"] == 0
    assert schemas["DeviceChange"]["properties"] == body["properties"]
    assert "required" not in schemas["DeviceChange"]
