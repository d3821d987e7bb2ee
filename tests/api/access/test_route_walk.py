"""Every route × every role × own and foreign jobs, against one table of expectations."""

import re

import pytest
from fastapi.routing import iter_route_contexts

from app.api.http.dependencies import Access
from app.domain.access import ROLES
from app.services.access import start_session
from app.services.jobs import registry
from app.services.stores import Stores
from app.store.jobs import Job, JobNode
from tests.api.permissions import MACHINES_ONLY, NEEDS

pytestmark = pytest.mark.slow

ONE_JOB = {
    "GET /api/v1/jobs/{id}": {"hidden": 404, "totals": 200, "open": 200},
    "GET /jobs/{key}": {"hidden": 404, "totals": 200, "open": 200},
    "GET /api/v1/jobs/{id}/curve": {"hidden": 404, "totals": 403, "open": 200},
    "GET /api/v1/jobs/{id}/curve.summary.json": {"hidden": 404, "totals": 403, "open": 200},
    "GET /api/v1/jobs/{id}/curve.{format}": {"hidden": 404, "totals": 403, "open": 200},
    "GET /api/v1/jobs/{id}/figure.svg": {"hidden": 404, "totals": 403, "open": 200},
    "GET /api/v1/jobs/{id}/report.html": {"hidden": 404, "totals": 403, "open": 200},
    "GET /api/v1/views/job/{id}": {"hidden": 404, "totals": 403, "open": 200},
    "GET /api/v1/views/job/{id}/figures": {"hidden": 404, "totals": 403, "open": 200},
    "PATCH /api/v1/jobs/{id}": {"hidden": 404, "totals": 403, "open": 403},
    "DELETE /api/v1/jobs/{id}": {"hidden": 404, "totals": 403, "open": 403},
}
"""What a route about one job of another user answers a researcher, by the site's policy; about an own one it is a
success."""
SECRETS = ("bob", "secret-name", "secret-project", "secret-tag", "47110815")
LISTS = (
    "/api/v1/jobs", "/api/v1/jobs?q=secret-name", "/api/v1/jobs?user=bob", "/api/v1/jobs?tag=kind:secret-tag",
    "/api/v1/jobs?job_id=47110815", "/api/v1/jobs?project=secret-project", "/api/v1/jobs?sort=name", "/api/v1/jobs.csv",
    "/api/v1/views/jobs", "/api/v1/views/jobs?sort=name&limit=1", "/api/v1/jobs/tags", "/api/v1/views/compare",
    "/api/v1/views/compare?by=user", "/api/v1/studies/groups?by=user", "/api/v1/studies/groups.csv?by=name",
    "/api/v1/studies/curves?by=user", "/api/v1/studies/groups/report.html?by=user", "/api/v1/views/node/n1",
    "/api/v1/views/rack/r1", "/api/v1/facility", "/api/v1/power", "/api/v1/budgets", "/api/v1/live", "/metrics",
    *(
        f"/api/v1/accounts{kind}?from=2026-11-20&to=2026-11-21&by={by}"
        for kind in ("", ".csv") for by in ("user", "project", "job", "tag:kind", "name")
    ),
)  # fmt: skip
"""Addresses that show several jobs, or what is made of them."""


@pytest.fixture
def engine(sqlite_engine):
    """One engine: what is shown of jobs is tested with both in test_visibility.py."""
    return sqlite_engine


@pytest.fixture
def served(make_client, clock, start):
    """A site with two jobs on one node, one after the other: of ada, and of bob, whose is running."""

    def make(policy):
        client = make_client(host="0.0.0.0", jobs_of_others=policy)
        stores: Stores = client.app.state.stores
        half = start + 3_600_000
        own = Job(name="mine", user="ada", start_ms=start, end_ms=half, tags={"kind": "a"}, nodes=(JobNode("n1"),))
        foreign = Job(
            name="secret-name", user="bob", project="secret-project", job_id="47110815",
            start_ms=half, end_ms=clock.now - 1, tags={"kind": "secret-tag"}, nodes=(JobNode("n1"),),
        )  # fmt: skip
        running = Job(
            name="secret-name", user="bob", start_ms=clock.now - 1, tags={"kind": "secret-tag"}, nodes=(JobNode("n1"),)
        )
        ids = [stores.jobs.create(job) for job in (own, foreign, running)]
        return client, stores, ids

    return make


def enter(client, stores, name):
    client.cookies.clear()
    cookie, _ = start_session(stores, name, "")
    client.cookies.set("wattline_session", cookie)


def routes(client):
    for context in iter_route_contexts(client.app.routes):
        if context.path is None:
            continue
        (gate,) = [d.call for d in context.dependant.dependencies if isinstance(d.call, Access)]
        for method in sorted(context.methods - {"HEAD"}):
            yield method, context.path, gate.need


def concrete(path, id_="nobody"):
    named = path.replace("{format}", "csv")
    return re.sub(r"{[^}]*}", id_, named)


@pytest.mark.parametrize("role", ["nobody", *ROLES])
def test_every_route_answers_those_who_may_and_no_one_else(role, hall, served, people, closed):
    client, stores, _ = served("totals")
    stores.stopping.set()  # the live stream ends after its first event
    if role != "nobody":
        people("ada", role)
        enter(client, stores, "ada")
    wrong = []
    for method, path, need in routes(client):
        body = {} if method in ("GET", "DELETE") else {"content": b"{", "headers": {"Content-Type": "application/json"}}
        if path == "/api/v1/session" and method == "DELETE":
            continue
        status = client.request(method, concrete(path), **body).status_code
        refused = 401 if role == "nobody" else 403
        may = role in NEEDS[need] and (role == "admin" or (method, path) not in MACHINES_ONLY)
        if (status == refused) == may or status >= 500:
            wrong.append((method, path, need, status))
    assert wrong == []


def test_every_route_about_one_job_is_in_the_table(closed):
    of_one = {f"{m} {p}" for m, p, _ in routes(closed) if re.search(r"jobs?/{(id|key)}", p)}
    assert of_one == set(ONE_JOB)


@pytest.mark.parametrize("policy", ["hidden", "totals", "open"])
def test_own_and_foreign_jobs(policy, hall, served, people, deliver, start):
    deliver("pdu-a", start, {"outlet/1:power": [1500.0] * 721})
    client, stores, (own, foreign, _) = served(policy)
    people("ada", "researcher")
    enter(client, stores, "ada")
    for route, expected in ONE_JOB.items():
        method, path = route.split()
        body = {"json": {"state": "completed"}} if method == "PATCH" else {}
        answer = client.request(method, concrete(path, foreign), **body)
        assert answer.status_code == expected[policy], (route, answer.text)
        if expected[policy] == 404 and path.startswith("/api"):
            unknown = client.request(method, concrete(path, "01M7WD7TG0A4RMKS7JR9NSRSJ3"), **body)
            assert answer.text.replace(foreign, "ID") == unknown.text.replace("01M7WD7TG0A4RMKS7JR9NSRSJ3", "ID")
        if policy != "open":
            assert not [text for text in SECRETS if text in answer.text], route
        assert client.request(method, concrete(path, own), **body).status_code in (200, 204), route


@pytest.mark.parametrize("policy", ["hidden", "totals"])
def test_no_list_shows_what_is_masked(policy, hall, served, people, deliver, start):
    deliver("pdu-a", start, {"outlet/1:power": [1500.0] * 721})
    client, stores, (own, *foreign) = served(policy)
    stores.stopping.set()
    people("ada", "operator")
    enter(client, stores, "ada")
    for address in LISTS:
        answer = client.get(address)
        assert answer.status_code in (200, 422), (address, answer.text)
        shown = answer.text.replace(address, "")
        assert not [text for text in SECRETS if text in shown and text not in address], (address, shown)
        if policy == "hidden":
            assert not [id_ for id_ in foreign if id_ in shown], address
    listed = {job["id"]: job["name"] for job in client.get("/api/v1/jobs").json()["items"]}
    assert listed == {own: "mine"} | ({} if policy == "hidden" else dict.fromkeys(foreign, "another job"))
    for query in ("q=secret-name", "user=bob", "tag=kind:secret-tag", "job_id=47110815"):
        assert client.get(f"/api/v1/jobs?{query}").json()["items"] == []
    bands = client.get("/api/v1/views/node/n1").json()["jobs"]
    assert sorted(band["name"] for band in bands) == ["another job", "another job", "mine"]


def test_an_administrator_and_a_project_lead_see_more(hall, served, people):
    client, stores, ids = served("hidden")
    people("mira", "project-lead", projects=("secret-project",))
    people("root", "admin")
    enter(client, stores, "mira")
    assert [job["name"] for job in client.get("/api/v1/jobs").json()["items"]] == ["secret-name"]
    enter(client, stores, "root")
    assert {job["id"] for job in client.get("/api/v1/jobs").json()["items"]} == set(ids)


def test_a_user_registers_own_jobs_alone(hall, served, people, start):
    client, stores, _ = served("totals")
    people("ada", "researcher")
    enter(client, stores, "ada")
    body = {"name": "x", "nodes": [{"node": "n2"}], "start": start, "cluster": "c", "job_id": "1"}
    answer = client.post("/api/v1/jobs", json=body)
    assert (answer.status_code, answer.json()["user"]) == (201, "ada")
    assert client.post("/api/v1/jobs", json=body | {"job_id": "2", "user": "bob"}).status_code == 403
    stores.jobs.create(Job(start_ms=start, cluster="c", job_id="3", user="bob", nodes=(JobNode("n2"),)))
    assert client.post("/api/v1/jobs", json=body | {"job_id": "3"}).status_code == 403
    prolog = "/api/v1/jobs/slurm/prolog?cluster=c&job_id=9&node=n2"
    assert client.post(prolog).status_code == 403


@pytest.mark.parametrize(("policy", "shown"), [("hidden", False), ("totals", True)])
def test_a_job_inside_a_foreign_one_does_not_tell_its_name(policy, shown, hall, served, people, clock):
    client, stores, _ = served(policy)
    running = Job(start_ms=clock.now - 1, name="secret-name", job_id="4711", user="bob", nodes=(JobNode("n2"),))
    outer = stores.jobs.create(running)
    people("ada", "researcher")
    enter(client, stores, "ada")
    body = {"name": "x", "nodes": [{"node": "n2"}], "start": clock.now - 1, "within": "4711"}
    registered = client.post("/api/v1/jobs", json=body).json()
    address = f"/api/v1/jobs/{registered['id']}"
    changed = client.patch(address, json={"name": "y"}).json()
    listed = {job["id"]: job for job in client.get("/api/v1/jobs").json()["items"]}[registered["id"]]
    for answer in (registered, changed, client.get(address).json(), listed):
        assert answer["summary"]["by_node"][0]["inside"] == {"job": outer if shown else None, "name": "another job"}


def test_a_token_that_only_writes_does_not_tell_which_hidden_jobs_exist(hall, served, people):
    client, stores, (own, foreign, _) = served("hidden")
    people("ada", "researcher")
    enter(client, stores, "ada")
    token = client.post("/api/v1/tokens", json={"name": "x", "scopes": ["jobs:write"]}).json()["token"]
    client.cookies.clear()
    headers = {"Authorization": f"Bearer {token}"}
    assert client.patch(f"/api/v1/jobs/{own}", json={"name": "y"}, headers=headers).status_code == 200
    for method, body in (("PATCH", {"json": {"name": "y"}}), ("DELETE", {})):
        answers = [
            client.request(method, f"/api/v1/jobs/{id_}", headers=headers, **body)
            for id_ in (foreign, "01M7WD7TG0A4RMKS7JR9NSRSJ3")
        ]
        assert [answer.status_code for answer in answers] == [404, 404]


def test_the_deletion_of_a_foreign_job_is_no_news(hall, served, people):
    client, stores, (_, foreign, _) = served("totals")
    registry.remove(stores, foreign)
    people("ada", "researcher")
    people("root", "admin")
    enter(client, stores, "ada")
    assert "secret-name" not in client.get("/api/v1/facility").text
    enter(client, stores, "root")
    assert "secret-name" in client.get("/api/v1/facility").text
