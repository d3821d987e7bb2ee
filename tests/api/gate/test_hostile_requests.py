"""Requests that once were answered with a 500, and others of their kind."""

import json

import pyarrow as pa
import pytest

LONGEST = 2**63


PATHS = [
    "views/devices?site=",
    "views/devices?site=none",
    "views/facility?site=",
    "views/alerts?site=",
    "views/jobs?site=",
    "devices?site=",
    "headroom?level=node&site=",
    "headroom?level=rack&site=",
    "power?site=",
    "accounts?site=",
    "accounts?by=tag:",
    "accounts?by=",
    "checks?rack=",
    "capacity/racks/%20",
    "jobs?tag=",
    "jobs?tag=:",
    "jobs?cursor=%F0%9F%92%A9",
    "jobs?cursor=AAAA",
    "jobs?limit=99999999999999999999",
    "jobs?from=9999-12-31T23:59:59%2B23:59",
    "jobs?from=0001-01-01T00:00:00Z",
    "jobs?from=-9223372036854775808",
    "jobs?from=9223372036854775808",
    "accounts?from=-9223372036854775808&to=9223372036854775807",
    "headroom?level=node&from=0&to=99999999999999",
    "alerts?cursor=x",
    "devices/%E6%97%A5",
    "nodes/%2e%2e/curve",
]


def test_it_is_an_answer(client):
    answers = {path: client.get(f"/api/v1/{path}").status_code for path in PATHS}
    assert {path: status for path, status in answers.items() if status >= 500} == {}


BY = ["tag:日", "tag:a%0d%0aSet-Cookie: x=1", "tag:a%0d", "tag:a%0ab", "tag:%22;x", "tag:" + "x" * 2000]


def test_a_name_in_a_header_is_a_name(client):
    for path in ("accounts.csv", "studies/groups/report.html", "studies/groups.csv"):
        for by in BY:
            answer = client.get(f"/api/v1/{path}?by={by}")
            assert answer.status_code < 500, (path, by)
            assert "set-cookie" not in answer.headers
            assert "\n" not in answer.headers.get("content-disposition", "")


def nested(depth):
    return "[" * depth + "]" * depth


DEEP = [
    ("supplies", "meter"), ("racks", "label"), ("nodes", "feeds"), ("auths", "community"), ("facility", "racks"),
    ("jobs", "tags"), ("capacity/what-if", "add"), ("polls", "polls"), ("layouts", "layouts"), ("ingest", "batches"),
    ("jobs/slurm", "jobs"),
]  # fmt: skip


@pytest.mark.parametrize("depth", [900, 100_000])
def test_a_value_that_is_nested_too_deep_is_an_error_of_the_request(client, depth):
    for path, key in DEEP:
        body = f'{{"key": "a", "{key}": {nested(depth)}}}'
        answer = client.post(f"/api/v1/{path}", content=body, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500, path


ENDS = [-LONGEST, -LONGEST + 1, LONGEST - 1, 253_402_300_800_000, -62_135_596_800_001]


def test_times_at_the_ends_of_arrow_are_rejected(client):
    assert {t_ms: sent_at(client, t_ms) for t_ms in ENDS} == dict.fromkeys(ENDS, 422)


def sent_at(client, t_ms):
    head = {"device": "wt", "interval_s": 1, "series": [{"point": "total", "quantity": "power"}]}
    fields = [("t", pa.int64()), ("total:power", pa.float64())]
    schema = pa.schema(fields, metadata={b"wattline": json.dumps(head).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.record_batch([pa.array([t_ms, t_ms], pa.int64()), pa.array([1.0, 2.0])], schema=schema))
    kind = {"Content-Type": "application/vnd.apache.arrow.stream"}
    body = sink.getvalue().to_pybytes()
    return client.post("/api/v1/ingest?create=meter", content=body, headers=kind).status_code


def test_a_name_has_a_length(client):
    for path in ("sites", "devices", "nodes"):
        assert client.post(f"/api/v1/{path}", json={"key": path[0] * 200}).status_code == 201
        refused = client.post(f"/api/v1/{path}", json={"key": path[0] * 201})
        assert refused.status_code == 422
        assert "200 at most" in refused.text
