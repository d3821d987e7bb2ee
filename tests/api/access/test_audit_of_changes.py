"""Every route that changes something leaves an entry in the audit log, or is listed here with the reason why not."""

import os
import pwd

import pytest
from fastapi.routing import iter_route_contexts
from sqlalchemy import insert
from typer.testing import CliRunner

from app.cli import app as commands
from app.models import AlertRow, table
from app.services.access import first_link
from app.services.stores import open_stores
from app.settings import Settings
from app.store.access import AuditFilter
from tests.api.access.conftest import PASSWORD

LINK = "reads what a one-time link is for"
MACHINE = "collectors, many times a minute; the readings and events themselves say who delivered them"
NO_ENTRY = {
    "POST /api/v1/link": LINK,
    "POST /api/v1/ingest": f"{MACHINE}; ?create=meter leaves an entry",
    "POST /api/v1/layouts": MACHINE,
    "POST /api/v1/collectors/{name}/lease": MACHINE,
    "DELETE /api/v1/collectors/{name}/lease": MACHINE,
    "POST /api/v1/polls": MACHINE,
    "POST /api/v1/collectors/{name}/probes/{probe_id}": MACHINE,
    "POST /api/v1/events": MACHINE,
    "POST /api/v1/device-login": "a command asks; the decision leaves an entry",
    "POST /api/v1/capacity/what-if": "computes and changes nothing",
}
SERIES = [{"point": "total", "quantity": "power", "unit": "W"}]
METER = {"device": "new-meter", "interval_s": 10, "series": SERIES, "t": [1_790_000_000_000], "values": [[1.0]]}
SACCT = (
    "JobID|Cluster|Submit|Start|End|State|User|NodeList\n"
    "7|c|2026-11-20T09:00:00Z|2026-11-20T09:00:00Z|2026-11-20T09:10:00Z|COMPLETED|ada|n2\n"
)
FACTOR = {"unit": "1", "source": "measured", "value": 1.2}
FILE = '[site]\nkey = "lab"\ntimezone = "UTC"\n[racks.from-file]\nheight_u = 42\n'
BY = {"by": "ada"}
JOB = {"name": "x", "nodes": [{"node": "n1"}], "start": "2026-11-20T09:00:00Z"}
OWN_KEYS = {
    "sites": {},
    "models": {"rated_w": 1000},
    "supplies": {"site": "lab", "feeds": ["other-devices/outlet/1"], "nodes": ["other-nodes"]},
    "auths": {"snmp": "2c", "community": "env:X"},
}
KINDS = ("sites", "rooms", "racks", "models", "devices", "nodes", "supplies", "auths")


def requests():
    """Every changing route with a request that succeeds, in an order in which they do. {id} is of the answer before."""
    yield "PUT /api/v1/me/password", None, {"old": PASSWORD, "new": "another long password"}
    yield "POST /api/v1/device-login/{user_code}", None, {"allow": True}
    yield "POST /api/v1/device-login/token", None, None
    yield "POST /api/v1/tokens", None, {"name": "notebook", "scopes": ["read"]}
    yield "DELETE /api/v1/tokens/{id}", None, None
    yield "POST /api/v1/users", None, {"name": "bob", "roles": ["viewer"]}
    yield "PATCH /api/v1/users/{name}", "bob", {"roles": ["operator"]}
    yield "POST /api/v1/users/{name}/link", "bob", None
    yield "DELETE /api/v1/users/{name}", "bob", None
    yield "POST /api/v1/probes", None, {"address": "snmp://10.0.0.8"}
    for kind in KINDS:
        yield f"POST /api/v1/{kind}", None, {"key": f"other-{kind}"} | OWN_KEYS.get(kind, {"site": "lab"})
        yield f"PATCH /api/v1/{kind}/{{key}}", f"other-{kind}", {"label": "Another label"}
    for kind in reversed(KINDS):
        yield f"DELETE /api/v1/{kind}/{{key}}", f"other-{kind}", None
    yield "POST /api/v1/facility", None, FILE
    yield "PUT /api/v1/sites/{site}/factors/{kind}", "lab/pue", FACTOR
    yield (
        "PUT /api/v1/sites/{site}/factors/{kind}/series.csv",
        "lab/pue",
        "2026-01-01T00:00:00Z,1.3\n2026-01-02T00:00:00Z,1.2\n",
    )
    yield "DELETE /api/v1/sites/{site}/factors/{kind}", "lab/pue", None
    yield "PUT /api/v1/alerts/rules/{name}", "failover", {"enabled": False}
    yield "POST /api/v1/alerts/{id}/acknowledge", "1", BY
    yield "POST /api/v1/alerts/{id}/close", "1", BY
    yield "POST /api/v1/alerts/receivers/{name}/test", "away", None
    yield "POST /api/v1/alerts/silences", None, BY | {"end": "2026-11-20T18:00:00Z"}
    yield "DELETE /api/v1/alerts/silences/{id}", None, None
    yield "POST /api/v1/jobs", None, JOB
    yield "PATCH /api/v1/jobs/{id}", None, {"state": "failed"}
    yield "DELETE /api/v1/jobs/{id}", None, None
    yield "POST /api/v1/jobs/slurm", "", SACCT
    yield "POST /api/v1/jobs/slurm/prolog", "?cluster=c&job_id=9&node=n2", None
    yield "POST /api/v1/jobs/slurm/epilog", "?cluster=c&job_id=9&node=n2", None
    yield "DELETE /api/v1/session", None, None
    yield "POST /api/v1/session", None, {"user": "root", "password": "another long password"}


QUERIES = {"PUT /api/v1/sites/{site}/factors/{kind}/series.csv": "?unit=1&source=meter"}


@pytest.fixture
def engine(sqlite_engine):
    """One engine: the audit log itself is tested with both in test_audit.py."""
    return sqlite_engine


@pytest.fixture
def closed(make_client):
    """A server with a receiver of alerts that is away."""
    away = {"name": "away", "form": "slack", "url": "http://127.0.0.1:9/"}
    return make_client(host="0.0.0.0", alert_receivers=(away,))


def entries(stores):
    return stores.audit.list(AuditFilter(), 1000)


def address(route, of, last):
    path = route.partition(" ")[2]
    if of and of.startswith("?"):
        return path + of
    if "{site}" in path:
        path = path.replace("{site}/factors/{kind}", of.replace("/", "/factors/"))
    for name in ("id", "name", "key", "user_code"):
        path = path.replace(f"{{{name}}}", of or str(last))
    return path + QUERIES.get(route, "")


def test_every_change_leaves_an_entry(closed, hall, people, sign_in, clock):
    people("root", "admin")
    people("second", "admin")
    admin, stores = sign_in("root"), closed.app.state.stores
    sites = admin.post("/api/v1/sites", json={"key": "lab", "timezone": "UTC"})
    assert sites.status_code == 201, sites.text
    event = {"rule": "device_event", "subject": "pdu-a", "level": 1, "worst_level": 1, "since_ms": 1, "opened_ms": 1}
    with stores.engine.begin() as connection:
        connection.execute(insert(table(AlertRow)).values(id=1, device="pdu-a", **event))
    silent, asked, last = [], set(NO_ENTRY), None
    assert admin.post("/api/v1/collectors/c1/lease", json={}).status_code == 200
    command = admin.post("/api/v1/device-login", json={"host": "login1"}).json()
    for route, of, body in requests():
        before = len(entries(stores))
        content = {"content": body} if isinstance(body, str) else {} if body is None else {"json": body}
        if route == "POST /api/v1/device-login/{user_code}":
            of = command["user_code"]
        elif route == "POST /api/v1/device-login/token":
            content = {"json": {"device_code": command["device_code"]}}
        answer = admin.request(route.partition(" ")[0], address(route, of, last), **content)
        assert answer.status_code < 300, (route, answer.status_code, answer.text)
        if answer.content and answer.headers["content-type"].startswith("application/json"):
            last = answer.json().get("id", last)
        new = entries(stores)[: len(entries(stores)) - before]
        if not new or {entry.who for entry in new} != {"root"} or not all(entry.address for entry in new):
            silent.append((route, new))
        asked.add(route)
    assert silent == []
    changing = {
        f"{method} {context.path}"
        for context in iter_route_contexts(closed.app.routes)
        for method in set(context.methods or ()) - {"GET", "HEAD"}
    }
    assert changing - asked == {"POST /api/v1/link/accept"}, "tested below: it needs a link that was not used"


def test_a_used_link_and_a_meter_made_by_readings_leave_an_entry(closed, hall, people, sign_in):
    stores = closed.app.state.stores
    code, _ = first_link(stores)
    body = {"code": code, "user": "root", "password": PASSWORD}
    assert closed.post("/api/v1/link/accept", json=body).status_code == 201
    assert [(entry.action, entry.who) for entry in entries(stores)] == [
        ("session.start", "root"),
        ("user.password", "root"),
    ]
    assert closed.post("/api/v1/ingest?create=meter", json=METER).status_code == 200
    made = entries(stores)[0]
    assert (made.action, made.subject, made.who) == ("facility.create.device", "new-meter", "root")


def test_commands_on_the_database_are_entries_of_the_unix_user(tmp_path, monkeypatch):
    monkeypatch.setenv("WATTLINE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LOGNAME", "somebody-else")
    (tmp_path / "facility.toml").write_text(FILE)
    facility = str(tmp_path / "facility.toml")
    factor = ["factor", "lab", "pue", "--value", "1.2", "--source", "measured"]
    for arguments in (
        ["apply", "--dry-run", facility],
        ["apply", facility],
        factor,
        ["users", "add", "ada", "--role", "viewer"],
    ):
        done = CliRunner().invoke(commands, arguments)
        assert done.exit_code == 0, done.output
    stores = open_stores(Settings())
    found = entries(stores)
    stores.engine.dispose()
    assert [(entry.action, entry.subject) for entry in reversed(found)] == [
        ("facility.create.site", "lab"),
        ("facility.create.rack", "from-file"),
        ("factor.set", "lab/pue"),
        ("user.create", "ada"),
        ("user.link", "ada"),
    ]
    assert {entry.who for entry in found} == {pwd.getpwuid(os.getuid()).pw_name}
    assert found[-1].after is not None
