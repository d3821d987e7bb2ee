"""What collectors ask for and report."""

import pytest

from app.store.facility import Auth, Device, Site


def test_a_lease_tells_what_to_poll_and_where_secrets_are(client, hall, clock):
    hall.facility.upsert([Auth(key="pdu-ro", settings={"snmp": "2c", "community": "env:PDU_COMMUNITY"})])
    answer = client.post("/api/v1/collectors/c1/lease", json={}).json()
    assert (answer["now"], answer["until"]) == ("2026-11-20T12:00:00Z", "2026-11-20T12:01:00Z")
    assert answer["devices"] == [
        {
            "key": "pdu-a", "kind": "pdu", "profile": "apc-rpdu2", "address": "snmp://10.0.0.7", "interval_s": 10.0,
            "timeout_s": 3.0, "auth": {"snmp": "2c", "community": "env:PDU_COMMUNITY"}, "node": None, "fence": 1,
            "ct_primary_a": None, "from_s": None, "until_s": None,
        }
    ]  # fmt: skip
    assert client.post("/api/v1/collectors/c2/lease").json()["devices"] == []
    clock.now += 30_000
    client.post("/api/v1/collectors/c2/lease")
    clock.now += 30_001
    assert [d["key"] for d in client.post("/api/v1/collectors/c2/lease").json()["devices"]] == ["pdu-a"]
    assert client.delete("/api/v1/collectors/c2/lease").status_code == 204
    assert [d["key"] for d in client.post("/api/v1/collectors/c1/lease").json()["devices"]] == ["pdu-a"]
    assert client.post("/api/v1/collectors/c 1/lease").status_code == 422


def test_one_of_two_collectors_with_one_name_polls(client, hall, clock):
    """The second is refused, also when it stops; it follows when the first is gone, with a new fencing number."""

    def lease(instance):
        return client.post("/api/v1/collectors/c1/lease", json={"for_s": 10, "instance": instance})

    assert [d["fence"] for d in lease("first").json()["devices"]] == [1]
    clock.now += 4_000
    refused = lease("second")
    assert (refused.status_code, refused.json()["code"]) == (409, "collector_name_taken")
    assert refused.json()["detail"] == "another collector named c1 polls: it renewed its lease 4 s ago"
    assert "--name" in refused.json()["hint"]
    assert client.delete("/api/v1/collectors/c1/lease?instance=second").status_code == 204
    assert [d["fence"] for d in lease("first").json()["devices"]] == [1]  # renewed, or restarted
    clock.now += 10_001
    assert [d["fence"] for d in lease("second").json()["devices"]] == [2]
    assert lease("first").status_code == 409
    assert client.delete("/api/v1/collectors/c1/lease?instance=second").status_code == 204
    assert [d["fence"] for d in lease("first").json()["devices"]] == [3]


def test_a_site_names_the_collectors_that_poll_its_devices(client, hall):
    address = {"site": "s", "profile": "apc-rpdu2"}
    hall.facility.upsert(
        [
            Site(key="s", collectors=("west", "oob 10.20.0.0/16")),
            Device(key="pdu-b", address="snmp://10.0.0.8", **address),
            Device(key="pdu-c", address="snmp://10.20.0.9", **address),
        ]
    )
    leased = {
        name: [d["key"] for d in client.post(f"/api/v1/collectors/{name}/lease").json()["devices"]]
        for name in ("east", "west", "oob")
    }
    assert leased == {"east": ["pdu-a"], "west": ["pdu-b"], "oob": ["pdu-c"]}


def test_failed_polls_and_events_are_kept_once(client, hall, start):
    poll = {"device": "pdu-a", "t": start, "duration_ms": 3000, "code": "timeout", "detail": "no answer"}
    assert client.post("/api/v1/polls", json={"polls": [poll]}).json() == {"accepted": 1, "duplicates": 0}
    assert client.post("/api/v1/polls", json={"polls": [poll]}).json() == {"accepted": 0, "duplicates": 1}
    assert hall.health.failures("pdu-a", start, start + 1)[0].detail == "no answer"
    event = {"t": start, "kind": "outbox_full", "severity": "warning", "detail": "400 frames wait"}
    assert client.post("/api/v1/events", json={"events": [event]}).json() == {"accepted": 1, "duplicates": 0}
    assert client.post("/api/v1/events", json={"events": [event]}).json() == {"accepted": 0, "duplicates": 1}
    assert hall.health.events(None, start, start + 1)[0].kind == "outbox_full"


@pytest.mark.parametrize("body", [{}, {"polls": [{"device": "x"}]}, {"polls": 3}, {"polls": [], "more": 1}])
def test_reports_that_cannot_be_meant_are_refused(client, body):
    assert client.post("/api/v1/polls", json=body).status_code == 422
