"""Jobs are registered, changed and listed."""

import pytest

from app.store.facility import Model

HOUR = 3_600_000


@pytest.fixture
def body(hall, start):
    return {
        "cluster": "horeka", "job_id": "42", "submit": start - 1000, "name": "resnet-b512", "user": "ada",
        "nodes": [{"node": "n1", "gpus": [0, "GPU-b"], "cores": 64, "exclusive": True}],
        "start": "2026-11-20T10:00:00Z", "end": "2026-11-20T11:00:00Z", "state": "completed",
        "tags": {"batch_size": 512, "model": "resnet"},
    }  # fmt: skip


def test_a_job_is_reported_as_it_was_registered(client, body):
    answer = client.post("/api/v1/jobs", json=body)
    assert answer.status_code == 201
    job = answer.json()
    told = {k: v for k, v in job.items() if k not in ("id", "summary", "sparkline")}
    assert told == {
        "cluster": "horeka", "job_id": "42", "submit": "2026-11-20T09:59:59Z", "name": "resnet-b512", "user": "ada",
        "project": None, "partition": None, "within": None, "state": "completed",
        "start": "2026-11-20T10:00:00Z", "end": "2026-11-20T11:00:00Z",
        "tags": {"batch_size": "512", "model": "resnet"},
        "nodes": [{"node": "n1", "gpus": [0, "GPU-b"], "cores": 64, "exclusive": True}],
    }  # fmt: skip
    assert client.get(f"/api/v1/jobs/{job['id']}").json() == job
    fixed = {
        "duration_s", "energy_j", "energy_kwh", "power_w", "rated_w", "headroom_w", "headroom_pct", "load_factor",
        "gpu", "source", "method", "coverage", "caliber", "uncertainty_pct", "k", "revision", "computed_at",
    }  # fmt: skip
    assert fixed <= set(job["summary"])
    assert {"mean", "median", "min", "max", "p95", "p99"} <= set(job["summary"]["power_w"])


def test_registered_again_it_is_the_same_job(client, body):
    first = client.post("/api/v1/jobs", json=body).json()
    again = client.post("/api/v1/jobs", json=body)
    assert (again.status_code, again.json()["id"]) == (200, first["id"])


def test_what_is_reported_again_replaces_what_was(client, body):
    running = {k: v for k, v in body.items() if k != "end"} | {"state": "running"}
    first = client.post("/api/v1/jobs", json=running).json()
    assert first["end"] is None
    ended = client.post("/api/v1/jobs", json=body)
    assert (ended.status_code, ended.json()["id"]) == (200, first["id"])
    assert (ended.json()["end"], ended.json()["state"]) == ("2026-11-20T11:00:00Z", "completed")


def test_one_identity_with_two_starts_is_a_conflict(client, body):
    client.post("/api/v1/jobs", json=body)
    answer = client.post("/api/v1/jobs", json=body | {"start": "2026-11-20T10:30:00Z"})
    assert (answer.status_code, answer.json()["code"]) == (409, "job_exists")
    assert "submit" in answer.json()["hint"]
    other = client.post("/api/v1/jobs", json=body | {"submit": "2026-11-20T10:10:00Z"})
    assert other.status_code == 201


WRONG = {
    "ends before it starts": ({"end": "2026-11-20T09:00:00Z"}, "end"),
    "ends when it starts": ({"end": "2026-11-20T10:00:00Z"}, "end"),
    "overlaps itself": ({"nodes": [{"node": "n1"}, {"node": "n2"}, {"node": "n1"}]}, "nodes.2"),
    "overlaps itself in part": (
        {"nodes": [{"node": "n1", "end": "2026-11-20T10:31:00Z"}, {"node": "n1", "start": "2026-11-20T10:30:00Z"}]},
        "nodes.1",
    ),
    "names an unknown node": ({"nodes": [{"node": "n1"}, {"node": "n9"}]}, "nodes.1.node"),
    "holds a node for no time": ({"nodes": [{"node": "n1", "end": "2026-11-20T09:00:00Z"}]}, "nodes.0"),
    "has no node": ({"nodes": []}, "body.nodes"),
    "has a time without a zone": ({"start": "2026-11-20T10:00:00"}, "body.start"),
    "has an unknown field": ({"nodez": []}, "body.nodez"),
    "holds more cores than there are": ({"nodes": [{"node": "n1", "cores": 2**64 - 1}]}, "body.nodes.0.cores"),
    "has a name no database can hold": ({"name": "a\0b"}, "body.name"),
    "lacks its start": ({"start": None}, "body.start"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_job_that_cannot_be_is_refused_with_a_hint(client, body, what):
    change, where = WRONG[what]
    answer = client.post("/api/v1/jobs", json=body | change)
    assert answer.status_code == 422
    assert where in [mistake["where"] for mistake in answer.json()["errors"]]
    assert answer.json()["hint"]
    assert client.get("/api/v1/jobs").json()["items"] == []


def test_a_job_that_is_over_before_it_began_is_one_mistake(client, body):
    errors = client.post("/api/v1/jobs", json=body | {"end": "2026-11-20T09:00:00Z"}).json()["errors"]
    assert [m["detail"] for m in errors] == ["the job ends (2026-11-20T09:00:00Z) before it starts"]
    errors = client.post("/api/v1/jobs", json=body | {"end": "2026-11-20T10:00:00Z"}).json()["errors"]
    assert [m["detail"] for m in errors] == ["the job ends (2026-11-20T10:00:00Z) in the moment it starts"]


@pytest.mark.parametrize("torn", [b'{"name": "x"', b"{", b"name=x", b'{"name": "x",}'])
def test_a_body_that_is_not_json_cannot_be_read(client, torn):
    answer = client.post("/api/v1/jobs", content=torn, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (400, "unreadable_body")
    assert answer.json()["detail"].startswith("the body is not JSON: ")


def test_a_list_of_a_window_that_ends_before_it_starts(client):
    answer = client.get("/api/v1/jobs", params={"from": "2026-11-20T10:00:00Z", "to": "2026-11-20T09:00:00Z"})
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_window")


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("10:00", "'10:00' is neither integer milliseconds nor RFC 3339 with an offset"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z lies outside the years 1970 to 9999"),
        (-1, "-1 ms lies outside the years 1970 to 9999"),
    ],
)
def test_words_of_a_mistake_are_ours(client, body, moment, words):
    assert client.post("/api/v1/jobs", json=body | {"start": moment}).json()["detail"] == f"body.start: {words}"


def test_all_mistakes_are_reported_at_once(client, body):
    nodes = [{"node": "n8"}, {"node": "n9"}, {"node": "n9"}]
    answer = client.post("/api/v1/jobs", json=body | {"end": "2026-11-20T09:00:00Z", "nodes": nodes}).json()
    assert {"end", "nodes.0.node", "nodes.1.node", "nodes.2.node"} <= {m["where"] for m in answer["errors"]}


def test_parts_that_follow_one_another_do_not_overlap(client, body):
    half = "2026-11-20T10:30:00Z"
    nodes = [{"node": "n1", "end": half}, {"node": "n1", "start": half}]
    assert client.post("/api/v1/jobs", json=body | {"nodes": nodes}).status_code == 201


def test_a_job_is_changed_field_by_field(client, body):
    id_ = client.post("/api/v1/jobs", json=body).json()["id"]
    change = {"state": "failed", "end": "2026-11-20T10:45:00Z", "tags": {"model": None, "note": "oom"}}
    job = client.patch(f"/api/v1/jobs/{id_}", json=change).json()
    assert (job["state"], job["end"], job["name"]) == ("failed", "2026-11-20T10:45:00Z", "resnet-b512")
    assert job["tags"] == {"batch_size": "512", "note": "oom"}
    assert job["summary"]["duration_s"] == 2700.0
    assert client.patch(f"/api/v1/jobs/{id_}", json={"end": None}).json()["end"] is None
    assert client.patch(f"/api/v1/jobs/{id_}", json={"end": "2026-11-20T09:00:00Z"}).status_code == 422
    assert client.patch("/api/v1/jobs/nobody", json={"state": "x"}).status_code == 404


def test_a_node_is_exclusive_while_no_other_job_overlaps_on_it(client, hall, start):
    def job(name, begin, end):
        node = [{"node": "n1"}]
        body = {"name": name, "nodes": node, "start": start + begin * HOUR // 4, "end": start + end * HOUR // 4}
        return client.post("/api/v1/jobs", json=body).json()["id"]

    first, second, third = job("a", 0, 2), job("b", 1, 3), job("c", 3, 4)
    told = {id_: client.get(f"/api/v1/jobs/{id_}").json()["nodes"][0]["exclusive"] for id_ in (first, second, third)}
    assert told == {first: False, second: False, third: True}


@pytest.fixture
def three(client, hall, deliver, register, start):
    """Three jobs of 1000 s, 2000 s and 3000 s on n1, n2 and n1, of 100 W, 200 W and 300 W."""
    levels = [100.0] * 101 + [300.0] * 301
    deliver("pdu-a", start, {"outlet/1:power": levels, "outlet/2:power": [200.0] * 402})
    jobs = [("x", "n1", 0, 1000, "ada"), ("y", "n2", 0, 2000, "bob"), ("z", "n1", 1010, 4010, "ada")]
    return [
        register(
            cluster="c", job_id=str(i), name=name, user=user, nodes=[{"node": node}], tags={"model": name},
            start=start + 1000 * begin, end=start + 1000 * end, state="completed",
        )["id"]
        for i, (name, node, begin, end, user) in enumerate(jobs)
    ]  # fmt: skip


def names(client, query=""):
    answer = client.get(f"/api/v1/jobs{query}")
    assert answer.status_code == 200, answer.text
    return [job["name"] for job in answer.json()["items"]]


def test_lists_are_filtered_and_sorted(client, three, start):
    assert names(client) == ["z", "x", "y"] or names(client) == ["z", "y", "x"]
    assert names(client, "?sort=-energy_j") == ["z", "y", "x"]
    assert names(client, "?sort=energy_j") == ["x", "y", "z"]
    assert names(client, "?user=ada&sort=name") == ["x", "z"]
    assert names(client, "?node=n2") == ["y"]
    assert names(client, "?tag=model:z") == ["z"]
    assert names(client, "?cluster=c&job_id=1") == ["y"]
    assert names(client, f"?from={start + 3_000_000}") == ["z"]
    assert names(client, f"?to={start + 1_005_000}&sort=name") == ["x", "y"]
    assert names(client, "?state=running") == []


def test_lists_are_paged(client, three):
    page = client.get("/api/v1/jobs?sort=-energy_j&limit=2").json()
    assert [job["name"] for job in page["items"]] == ["z", "y"]
    last = client.get("/api/v1/jobs", params={"sort": "-energy_j", "limit": 2, "cursor": page["next"]}).json()
    assert ([job["name"] for job in last["items"]], last["next"]) == (["x"], None)


def test_lists_tell_the_figures(client, three):
    item = client.get("/api/v1/jobs?node=n2").json()["items"][0]
    assert item["summary"]["energy_j"] == pytest.approx(200.0 * 2000)
    assert item["sparkline"] == [pytest.approx(200.0)] * 60


@pytest.mark.parametrize("query", ["sort=colour", "limit=0", "limit=501", "cursor=xyz", "tag=model", "from=soon"])
def test_a_question_that_cannot_be_answered_is_refused(client, hall, query):
    answer = client.get(f"/api/v1/jobs?{query}")
    assert answer.status_code == 422
    assert answer.json()["hint"]


@pytest.mark.parametrize(
    ("held", "where", "detail"),
    [
        ({"gpus": [0, 0]}, "nodes.0.gpus", "GPU 0 of n1 is held more than whole"),
        ({"gpus": [99]}, "nodes.0.gpus", "n1 has no GPU 99: a m has 2, from 0 to 1"),
        ({"gpus": ["2"]}, "nodes.0.gpus", "n1 has no GPU 2: a m has 2, from 0 to 1"),
        ({"gpus": ["0:3/7", "0:5/7"]}, "nodes.0.gpus", "GPU 0 of n1 is held more than whole"),
        ({"gpus": ["0:8/7"]}, "nodes.0.gpus", "'0:8/7' is not a part of a GPU: 8 of 7 slices"),
        ({"gpus": ["0:half"]}, "nodes.0.gpus", "'0:half' is not a part of a GPU"),
        ({"cores": 65}, "nodes.0.cores", "65 cores of n1: a m has 64"),
    ],
)
def test_what_a_node_does_not_have_cannot_be_held(hall, client, held, where, detail):
    hall.facility.upsert([Model(key="m", rated_w=2000.0, gpus=2, cores=64)], effective_ms=0)
    body = {"name": "x", "nodes": [{"node": "n1"} | held], "start": "2026-11-20T10:00:00Z"}
    answer = client.post("/api/v1/jobs", json=body)
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert (error["where"], error["detail"]) == (where, detail)
    assert client.get("/api/v1/jobs").json()["items"] == []


@pytest.mark.parametrize("gpus", [[0, 1], [], ["0:3/7", "0:4g.40gb"], ["GPU-5f"], ["00000000:3B:00.0"]])
def test_what_a_node_has_can_be_held(hall, client, gpus):
    body = {"name": "x", "nodes": [{"node": "n1", "gpus": gpus}], "start": "2026-11-20T10:00:00Z"}
    answer = client.post("/api/v1/jobs", json=body)
    assert (answer.status_code, answer.json()["nodes"][0]["gpus"]) == (201, gpus)
