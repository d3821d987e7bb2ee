"""Bodies that are not UTF-8 are refused, and a byte order mark is tolerated."""

import codecs

import orjson
import pytest

JSON = {"Content-Type": "application/json"}
LATIN = "Zürich".encode("latin-1")  # ü is the byte 0xfc


@pytest.mark.parametrize("path", ["/api/v1/jobs", "/api/v1/racks", "/api/v1/capacity/what-if", "/api/v1/layouts"])
def test_json_that_is_not_utf8_is_refused(client, hall, path):
    answer = client.post(path, content=b'{"key": "' + LATIN + b'"}', headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "unreadable_body")
    assert answer.json()["detail"] == "the body is not UTF-8: byte 0xfc at position 10"
    assert answer.json()["hint"] == "save it as UTF-8, or send it in UTF-8"


def test_a_facility_file_that_is_not_utf8_is_refused(client, hall):
    answer = client.post("/api/v1/facility", content=b'[site]\nkey = "' + LATIN + b'"')
    assert (answer.status_code, answer.json()["code"]) == (400, "unreadable_body")
    assert answer.json()["detail"] == "the body is not UTF-8: byte 0xfc at position 15"
    assert client.get("/api/v1/sites").json()["items"] == []


def test_readings_that_are_not_utf8_are_refused(client, hall):
    answer = client.post("/api/v1/ingest", content=b'{"device": "' + LATIN + b'"}', headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "unreadable_body")
    assert "UTF-8" in answer.json()["detail"]


def test_a_byte_order_mark_is_tolerated(client, hall, start):
    bom = codecs.BOM_UTF8
    job = orjson.dumps({"start": start, "nodes": [{"node": "n1"}]})
    assert client.post("/api/v1/jobs", content=bom + job, headers=JSON).status_code == 201
    assert client.post("/api/v1/facility", content=bom + b"[racks.r9]\ncapacity_w = 5000\n").status_code == 200
    row = {"point": "outlet/1", "quantity": "power", "unit": "W"}
    batch = {"device": "pdu-a", "interval_s": 10, "series": [row], "t": [start], "values": [[1.0]]}
    answer = client.post("/api/v1/ingest", content=bom + orjson.dumps(batch), headers=JSON)
    assert (answer.status_code, answer.json()["accepted"]) == (200, 1)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("capacity_kw", "did you mean capacity_w? It is in watts: multiply by 1000"),
        ("capacty_w", "did you mean capacity_w?"),
    ],
)
def test_a_key_in_another_unit_says_how_to_convert_it(client, hall, key, hint):
    answer = client.post("/api/v1/racks", json={"key": "r9", key: 70})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["hint"] == hint
    answer = client.post("/api/v1/facility", content=f"[racks.r9]\n{key} = 70\n")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["hint"] == hint


@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_an_unknown_profile_is_a_warning(client, dry_run):
    text = '[devices.pdu]\nkind = "pdu"\naddress = "snmp://10.0.0.1"\nprofile = "apc-rpdu-2"\n'
    answer = client.post(f"/api/v1/facility?dry_run={dry_run}", content=text)
    assert answer.status_code == 200
    assert answer.json()["warnings"] == [
        "pdu: no collector of this version has a profile 'apc-rpdu-2'; did you mean 'apc-rpdu2'?"
    ]
