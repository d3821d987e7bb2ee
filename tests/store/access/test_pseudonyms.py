"""Former users become pseudonyms in every table: for good, once, and without changing a total."""

from dataclasses import replace

import pytest
from sqlalchemy import MetaData, Table, Text, cast, insert, inspect, select

from app.models import AlertRow, AlertSilenceRow, table
from app.services.access import pseudonymize
from app.services.stores import open_stores
from app.settings import Settings
from app.store.access import ApiToken, AuditEntry, AuditFilter, DeviceLogin, Session, User
from app.store.access.pseudonyms import replaced
from app.store.devices import DeviceEvent
from app.store.jobs import Job, JobFilter

DAY_MS = 86_400_000
NOW = 1_790_000_000_000
LONG_AGO = NOW - 400 * DAY_MS


@pytest.fixture
def stores(engine, tmp_path):
    return open_stores(Settings(data_dir=tmp_path), lambda: NOW, engine)


def fill(stores, name, t_ms):
    """Store a user in every table that has names."""
    tags = {"owner": name, "path": f"/home/{name}/x"}
    stores.jobs.create(Job(name="train", user=name, start_ms=t_ms - 1000, end_ms=t_ms, tags=tags))
    stores.users.create(User(name, ("researcher",), created_ms=t_ms, seen_ms=t_ms))
    stores.users.put_link(f"link {name}", name, NOW + 1)
    stores.sessions.create(Session(f"session {name}", name, t_ms, NOW + 1))
    owned = ApiToken(f"t-{name}", f"h-{name}", "wl_", "x", ("read",), name, t_ms, owner=name, user=name)
    stores.tokens.create(owned)
    stores.tokens.create(replace(owned, id=f"m-{len(name)}", hash=f"m-{len(name)}", owner=None, user=None))
    stores.device_logins.create(DeviceLogin(f"d-{name}", f"c-{name}", "h", "a", NOW + 1, name), NOW, 9, 9)
    change = {"user": name, "roles": [], "nested": [{"by": name}]}
    stores.audit.add(AuditEntry(t_ms, name, "session", "", "job.change", "x", {"user": "eve"}, change))
    stores.audit.add(AuditEntry(t_ms, "root", "session", "", "user.create", name, None, change))
    detail = f"job x deleted: from a to b, user {name}, on n1"
    stores.health.record_events([DeviceEvent(t_ms, "job_deleted", subject=name[::-1], detail=detail)])
    alert = {"rule": name[::-1], "subject": "x", "level": 1, "worst_level": 1, "since_ms": 1, "acknowledged_by": name}
    with stores.engine.begin() as connection:
        connection.execute(insert(table(AlertRow)).values(alert))
        connection.execute(insert(table(AlertSilenceRow)).values(start_ms=1, end_ms=2, made_by=name))


def places_of(engine, text):
    """Every column of every table in which a text occurs."""
    found = set()
    with engine.connect() as connection:
        for name in inspect(engine).get_table_names():
            columns = [column["name"] for column in inspect(engine).get_columns(name)]
            place = Table(name, MetaData(), autoload_with=engine)
            for column in columns:
                values = connection.execute(select(cast(place.c[column], Text))).scalars()
                if any(text in (value or "") for value in values):
                    found.add(f"{name}.{column}")
    return found


def test_a_former_user_is_nowhere_any_more_and_others_stay(stores):
    for name, t_ms in (("adalovelace", LONG_AGO), ("bobmartin", NOW - DAY_MS)):
        fill(stores, name, t_ms)
    before, of_bob = places_of(stores.engine, "adalovelace"), places_of(stores.engine, "bobmartin")
    assert len(before) >= 16, "the name is in every table, else this test proves nothing"
    assert pseudonymize(stores, None) == 0
    assert pseudonymize(stores, 401) == 0
    assert pseudonymize(stores, 365) == 1
    assert places_of(stores.engine, "adalovelace") == {"job.tags"}, "only texts that contain more than the name"
    assert places_of(stores.engine, "bobmartin") == of_bob
    pseudonym = next(job.user for job in stores.jobs.list(JobFilter(), limit=9)[0] if job.user != "bobmartin")
    (job,) = stores.jobs.list(JobFilter(user=pseudonym), limit=9)[0]
    assert job.tags == {"owner": pseudonym, "path": "/home/adalovelace/x"}
    assert (job.start_ms, job.end_ms) == (LONG_AGO - 1000, LONG_AGO)
    own = stores.audit.list(AuditFilter(who=pseudonym), 9)
    assert [entry.after for entry in own] == [{"user": pseudonym, "roles": [], "nested": [{"by": pseudonym}]}]
    assert stores.users.get("adalovelace") is None
    assert {token.id for token in stores.tokens.all()} == {"m-9", "t-bobmartin", "m-11"}
    entries = stores.audit.list(AuditFilter(action="user.pseudonymize"), 9)
    assert [entry.subject for entry in entries] == [pseudonym]
    assert pseudonymize(stores, 1) == 0, "a pseudonym is not replaced again; bob was here a day ago"


def test_who_was_here_or_is_an_administrator_keeps_the_name(stores):
    old = Job(user="runs", start_ms=LONG_AGO)
    stores.jobs.create(old)
    stores.jobs.create(replace(old, user="signs-in", end_ms=LONG_AGO + 1))
    stores.users.create(User("signs-in", ("viewer",), created_ms=LONG_AGO, seen_ms=NOW))
    stores.jobs.create(replace(old, user="has-a-script", end_ms=LONG_AGO + 1))
    stores.users.create(User("has-a-script", ("viewer",), created_ms=LONG_AGO))
    stores.tokens.create(
        ApiToken("t", "h", "wl_", "x", ("read",), "x", LONG_AGO, owner="has-a-script", used_ms=NOW - DAY_MS)
    )
    stores.users.create(User("root", ("admin",), created_ms=LONG_AGO))
    assert pseudonymize(stores, 30) == 0


def test_only_whole_texts_are_replaced():
    given = {"user": "ada", "list": ["ada", "adam", 1, None], "ada": True}
    assert replaced(given, "ada", "x") == {"user": "x", "list": ["x", "adam", 1, None], "ada": True}
