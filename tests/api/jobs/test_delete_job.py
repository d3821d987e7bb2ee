"""A deleted job is gone with everything of it; who shared its nodes gets another share; the deletion is recorded."""

import pytest
from sqlalchemy import func, select

from app.models import JobNodeRow, JobSummaryRow, table
from app.store.facility import Model

N = 361  # one reading every 10 s, both ends of the hour


@pytest.fixture
def shared(hall, deliver, register, start):
    """Two jobs of 15 and 30 of the 60 cores of n1, for an hour in which it draws 1000 W."""
    hall.facility.upsert([Model(key="m", rated_w=2000.0, cores=60)], effective_ms=0)
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * N})
    times = {"start": start, "end": start + 3_600_000}
    who = {"cluster": "c", "job_id": "7", "user": "ada", "name": "run", "tags": {"model": "resnet"}}
    first = register(nodes=[{"node": "n1", "cores": 15}], **who, **times)["id"]
    second = register(nodes=[{"node": "n1", "cores": 30}], **times)["id"]
    return first, second


def test_a_job_and_everything_of_it_is_gone(client, hall, shared):
    first, second = shared
    client.get(f"/api/v1/jobs/{first}")
    answer = client.delete(f"/api/v1/jobs/{first}")
    assert (answer.status_code, answer.content) == (204, b"")
    assert client.get(f"/api/v1/jobs/{first}").status_code == 404
    assert [job["id"] for job in client.get("/api/v1/jobs").json()["items"]] == [second]
    assert "model" not in str(client.get("/api/v1/jobs/tags").json())
    with hall.engine.connect() as connection:
        for row in (JobNodeRow, JobSummaryRow):
            stored = select(func.count()).select_from(table(row)).where(table(row).c.job == first)
            assert connection.scalar(stored) == 0


def test_who_shared_its_node_gets_another_share(client, shared):
    first, second = shared
    before = client.get(f"/api/v1/jobs/{second}").json()["summary"]
    share = before["by_node"][0]["share"]
    # 30 of 60 cores at 1000 W for an hour; of the 30 others 15 are idle
    assert before["energy_j"] == pytest.approx(500 * 3600)
    assert (share["other_jobs"], share["idle_j"]) == (1, pytest.approx(250 * 3600))
    client.delete(f"/api/v1/jobs/{first}")
    after = client.get(f"/api/v1/jobs/{second}").json()["summary"]
    assert after["energy_j"] == pytest.approx(1000 * 3600)  # alone on a node, a job has all of it
    assert (after["shared"], after["by_node"][0]["share"], after["revision"]) == (False, None, 2)


def test_a_running_job_that_shared_its_node_is_computed_again(client, hall, deliver, register, start, clock):
    deliver("pdu-a", start, {"outlet/1:power": [1000.0] * 721})
    ids = [register(nodes=[{"node": "n1", "cores": 1}], start=start)["id"] for _ in range(2)]
    assert client.get(f"/api/v1/jobs/{ids[1]}").json()["summary"]["shared"] is True
    client.delete(f"/api/v1/jobs/{ids[0]}")
    assert client.get(f"/api/v1/jobs/{ids[1]}").json()["summary"]["shared"] is False


def test_the_deletion_is_recorded(client, hall, shared, clock):
    first, _ = shared
    client.delete(f"/api/v1/jobs/{first}")
    (event,) = hall.health.events(None, clock.now, clock.now + 1)
    assert (event.kind, event.subject, event.device) == ("job_deleted", first, "")
    assert event.detail == ("job c 7 run deleted: from 2026-11-20T10:00:00Z to 2026-11-20T11:00:00Z, user ada, on n1")


def test_a_job_that_is_not_there_is_a_404(client, shared):
    first, _ = shared
    client.delete(f"/api/v1/jobs/{first}")
    for id_ in (first, "nobody"):
        answer = client.delete(f"/api/v1/jobs/{id_}")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_deleting_needs_the_token_of_a_change(make_client):
    client = make_client(read_token="r", ingest_token="i")
    path = "/api/v1/jobs/nobody"
    assert client.delete(path, headers={"Authorization": "Bearer r"}).status_code == 403
    assert client.delete(path, headers={"Authorization": "Bearer i"}).status_code == 404


def test_the_same_job_can_be_registered_again(client, shared, register, start):
    first, _ = shared
    client.delete(f"/api/v1/jobs/{first}")
    again = register(cluster="c", job_id="7", nodes=[{"node": "n1"}], start=start, end=start + 3_600_000)
    assert again["id"] != first
