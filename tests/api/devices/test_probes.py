"""An administrator adds a device: a collector reads it once, and the result comes back."""

import pytest

from app.store.facility import Auth, Site

REPORT = {
    "profile": "apc-rpdu2", "vendor": "APC", "model": "AP8841", "kind": "pdu", "generic": [], "notes": [],
    "readings": [{"point": "outlet/1", "quantity": "power", "value": 431.5, "unit": "W", "sensor": ""}],
    "missing": ["outlet/2:energy"],
}  # fmt: skip


@pytest.fixture
def leased(client, hall):
    """What a collector is to read, asked for with its lease."""

    def lease(name="west"):
        return client.post(f"/api/v1/collectors/{name}/lease", json={}).json()["probes"]

    lease()
    return lease


def test_a_collector_reads_a_device_and_the_page_gets_the_result(client, leased, clock):
    asked = client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9"})
    assert asked.status_code == 202, asked.text
    first = asked.json()
    assert (first["state"], first["collector"], first["report"]) == ("waiting", "west", None)
    where = f"/api/v1/probes/{first['id']}"
    assert leased("east") == []
    assert leased() == [{"id": first["id"], "address": "snmp://10.0.0.9", "profile": "auto", "auth": {}}]
    assert leased() == []
    assert client.get(where).json()["state"] == "reading"
    result = f"/api/v1/collectors/west/probes/{first['id']}"
    assert client.post(f"/api/v1/collectors/east/probes/{first['id']}", json={"report": REPORT}).status_code == 404
    assert client.post(result, json={"report": REPORT}).status_code == 204
    assert client.post(result, json={"report": REPORT}).status_code == 404
    done = client.get(where).json()
    assert (done["state"], done["problem"], done["report"]) == ("done", None, REPORT)
    (entry,) = client.get("/api/v1/audit").json()["items"]
    assert (entry["action"], entry["subject"]) == ("device.probe", "snmp://10.0.0.9")
    clock.now += 3_600_001
    leased()
    client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9"})
    assert client.get(where).status_code == 404


def test_a_device_that_cannot_be_read_says_why(client, leased):
    probe = client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9"}).json()
    leased()
    problem = {"code": "device_timeout", "detail": "snmp://10.0.0.9: no answer in 5 s", "hint": "check the community"}
    client.post(f"/api/v1/collectors/west/probes/{probe['id']}", json={"problem": problem})
    failed = client.get(f"/api/v1/probes/{probe['id']}").json()
    assert (failed["state"], failed["problem"]) == ("failed", problem)


@pytest.mark.parametrize(
    ("taken", "words"), [(False, "did not take the request within a minute"), (True, "no result within a minute")]
)
def test_no_probe_waits_for_ever(client, leased, clock, taken, words):
    probe = client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9"}).json()
    if taken:
        leased()
    clock.now += 60_001
    failed = client.get(f"/api/v1/probes/{probe['id']}").json()
    assert failed["state"] == "failed"
    assert failed["problem"]["detail"].startswith("snmp://10.0.0.9: collector west")
    assert words in failed["problem"]["detail"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"address": "10.0.0.9"}, "no scheme"),
        ({"address": "snmp://user:hunter2@10.0.0.9"}, "credentials do not belong in an address"),
        ({"address": "modbus+serial:///dev/ttyUSB0?unit=1"}, "is a serial port"),
        ({"address": "snmp://10.0.0.9", "profile": "./x.toml"}, "profile"),
        ({"address": "snmp://10.0.0.9", "auth": "nobody"}, "there is no auth 'nobody'"),
        ({"address": "snmp://10.0.0.9", "site": "nowhere"}, "there is no site 'nowhere'"),
        ({"address": "snmp://10.0.0.9", "auth": "pdu-ro", "settings": {}}, "an auth and settings"),
        ({"address": "snmp://10.0.0.9", "settings": {"snmp": "2c"}}, "SNMP 2c without community"),
        ({"address": "snmp://10.0.0.9", "settings": {"snmp": "2c", "community": "hunter2"}}, "community"),
        ({"address": "snmp://10.0.0.9", "settings": {"colour": "blue"}}, "colour"),
    ],
)
def test_what_cannot_be_read_is_refused(client, leased, body, words):
    answer = client.post("/api/v1/probes", json=body)
    assert answer.status_code == 422, answer.text
    assert words in answer.text
    assert "hunter2" not in answer.text


def test_an_auth_reaches_the_collector_and_nobody_else(client, leased, stores):
    stores.facility.upsert([Auth(key="ro", settings={"snmp": "2c", "community": "env:PDU_COMMUNITY"})])
    settings = {"snmp": "3", "user": "w", "auth": "sha256", "auth_password": "secret:pdu"}
    made = [
        client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9", **how})
        for how in ({"auth": "ro"}, {"settings": settings})
    ]
    assert all("PDU_COMMUNITY" not in one.text and "secret:pdu" not in one.text for one in made)
    assert "PDU_COMMUNITY" not in client.get("/api/v1/audit").text
    assert [probe["auth"] for probe in leased()] == [{"snmp": "2c", "community": "env:PDU_COMMUNITY"}, settings]


def test_the_collectors_of_a_site_read_its_devices(client, leased, stores, clock):
    stores.facility.upsert([Site(key="s", collectors=("south",))])
    body = {"address": "snmp://10.0.0.9", "site": "s"}
    refused = client.post("/api/v1/probes", json=body)
    assert (refused.status_code, refused.json()["code"]) == (503, "no_collector")
    assert "none of the collectors south of site s is running" in refused.json()["detail"]
    leased("south")
    assert client.post("/api/v1/probes", json=body).json()["collector"] == "south"
    clock.now += 600_000
    alone = client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9"})
    assert "snmp://10.0.0.9: no collector is running" in alone.json()["detail"]


def test_a_few_at_a_time(client, leased):
    asked = [client.post("/api/v1/probes", json={"address": "snmp://10.0.0.9"}).status_code for _ in range(5)]
    assert asked == [202, 202, 202, 202, 429]
