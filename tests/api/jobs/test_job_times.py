"""Times of jobs, reckoned by hand: midnight, a clock that changes, runs that go on, ids that repeat, nodes that change.

n1 draws 500 W and n2 300 W, read every 10 s.
"""

import pytest

from app.store.facility import Model
from tests.api.conftest import ms

DAY_MS = 86_400_000
HOUR_MS = 3_600_000


@pytest.fixture
def told(client, hall, deliver):
    """Register a job over a time in which both nodes were read, and what is told of it then."""

    def make(start, end, nodes=({"node": "n1"},), read=None, **more):
        first, last = read or (ms(start), ms(end))
        n = (last - first) // 10_000 + 1
        deliver("pdu-a", first, {"outlet/1:power": [500.0] * n, "outlet/2:power": [300.0] * n})
        body = {"name": "run", "nodes": list(nodes), "start": start, "end": end} | more
        answer = client.post("/api/v1/jobs", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    return make


def test_a_run_across_midnight_is_one_run(client, told):
    summary = told("2026-11-18T23:30:00Z", "2026-11-19T00:30:00Z")["summary"]
    assert (summary["duration_s"], summary["energy_j"]) == (3600.0, pytest.approx(500 * 3600))
    around = {"from": "2026-11-19T00:00:00Z", "to": "2026-11-20T00:00:00Z"}
    assert [job["name"] for job in client.get("/api/v1/jobs", params=around).json()["items"]] == ["run"]


@pytest.mark.parametrize(
    ("start", "end", "hours"),
    [
        # Berlin: at 3:00 CEST it became 2:00 CET; from 1:30 to 3:30 on the wall are three hours
        ("2026-10-25T01:30:00+02:00", "2026-10-25T03:30:00+01:00", 3),
        # the two halves of the doubled hour: 2:30 CEST to 2:30 CET is an hour, not nothing
        ("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00", 1),
        # in spring 2:00 became 3:00: from 1:30 to 3:30 is one hour
        ("2026-03-29T01:30:00+01:00", "2026-03-29T03:30:00+02:00", 1),
    ],
)
def test_a_clock_that_changes_changes_no_energy(told, start, end, hours):
    summary = told(start, end)["summary"]
    assert summary["duration_s"] == hours * 3600
    assert summary["energy_j"] == pytest.approx(500 * 3600 * hours)
    assert summary["coverage"] == 1.0


def test_a_run_that_goes_on_has_its_energy_so_far(client, hall, deliver, register, clock, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * 721})
    id_ = register(name="run", nodes=[{"node": "n1"}], start=start, tags={"per:samples": 1000})["id"]

    def summary():
        return client.get(f"/api/v1/jobs/{id_}").json()["summary"]

    assert summary()["energy_j"] == pytest.approx(500 * 7200)  # two hours until now
    assert (summary()["revision"], summary()["per"]["samples"]["j_per"]) == (0, pytest.approx(3600))
    clock.now += HOUR_MS
    deliver("pdu-a", start + 2 * HOUR_MS, {"outlet/1:power": [500.0] * 361})
    assert summary()["energy_j"] == pytest.approx(500 * 10_800)
    ended = client.patch(f"/api/v1/jobs/{id_}", json={"end": start + HOUR_MS, "state": "completed"}).json()["summary"]
    assert (ended["energy_j"], ended["revision"]) == (pytest.approx(500 * 3600), 1)


def test_running_jobs_that_share_a_node_share_it_until_now(client, hall, deliver, register, start):
    deliver("pdu-a", start, {"outlet/1:power": [500.0] * 721})
    hall.facility.upsert([Model(key="m", rated_w=2000.0, gpus=0, cores=10)], effective_ms=0)
    a = register(name="a", nodes=[{"node": "n1", "cores": 2}], start=start)["id"]
    b = register(name="b", nodes=[{"node": "n1", "cores": 5}], start=start + HOUR_MS)["id"]
    energies = [client.get(f"/api/v1/jobs/{id_}").json()["summary"]["energy_j"] for id_ in (a, b)]
    assert energies == pytest.approx([100 * 7200, 250 * 3600])


def test_an_id_that_is_requeued_is_two_runs(client, told):
    base = {"cluster": "horeka", "job_id": "42"}
    first = told("2026-11-19T08:00:00Z", "2026-11-19T08:10:00Z", submit="2026-11-19T07:59:00Z", **base)
    again = told("2026-11-19T09:00:00Z", "2026-11-19T10:00:00Z", submit="2026-11-19T08:10:00Z", **base)
    assert first["id"] != again["id"]
    assert (first["summary"]["energy_j"], again["summary"]["energy_j"]) == pytest.approx((500 * 600, 500 * 3600))
    found = client.get("/api/v1/jobs", params={"job_id": "42", "sort": "start"}).json()["items"]
    assert [job["id"] for job in found] == [first["id"], again["id"]]


def test_an_id_of_two_clusters_is_two_jobs(client, told):
    times = "2026-11-19T08:00:00Z", "2026-11-19T09:00:00Z"
    one = told(*times, cluster="horeka", job_id="42")
    other = told(*times, nodes=[{"node": "n2"}], cluster="bnl", job_id="42")
    assert (one["summary"]["energy_j"], other["summary"]["energy_j"]) == pytest.approx((500 * 3600, 300 * 3600))
    (found,) = client.get("/api/v1/jobs", params={"job_id": "42", "cluster": "bnl"}).json()["items"]
    assert found["id"] == other["id"]


def test_nodes_that_come_and_go_count_while_they_are_held(told):
    nodes = [
        {"node": "n1"},
        {"node": "n2", "start": "2026-11-19T08:30:00Z", "end": "2026-11-19T08:40:00Z"},
        {"node": "n2", "start": "2026-11-19T08:50:00Z"},
    ]
    summary = told("2026-11-19T08:00:00Z", "2026-11-19T09:00:00Z", nodes)["summary"]
    assert summary["energy_j"] == pytest.approx(500 * 3600 + 300 * 1200)
    assert [row["energy_j"] for row in summary["by_node"]] == pytest.approx([500 * 3600, 300 * 600, 300 * 600])
    power = summary["power_w"]
    # a third of the time with both nodes: the middle is one node, the top both
    assert (power["median"], power["max"], power["min"]) == pytest.approx((500, 800, 500))
    assert summary["coverage"] == 1.0


def test_a_node_is_shared_only_while_both_hold_it(client, hall, told):
    hall.facility.upsert([Model(key="m", rated_w=2000.0, gpus=0, cores=10)], effective_ms=0)
    first = {"node": "n1", "cores": 4, "end": "2026-11-19T08:30:00Z"}
    a = told("2026-11-19T08:00:00Z", "2026-11-19T09:00:00Z", [first, {"node": "n2"}])
    told("2026-11-19T08:30:00Z", "2026-11-19T09:00:00Z", [{"node": "n1", "cores": 10}])
    summary = client.get(f"/api/v1/jobs/{a['id']}").json()["summary"]
    assert (summary["shared"], summary["energy_j"]) == (False, pytest.approx(500 * 1800 + 300 * 3600))
