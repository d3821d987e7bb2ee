"""The audit log: who changed what, from where, before and after; entries are only added."""

import csv
import io
import json

import pyarrow.parquet as pq

from app.services.access import SERVER, expire, record
from app.store.access import AuditFilter, AuditStore

FILE = '[site]\nkey = "lab"\ntimezone = "UTC"\nlabel = "The lab"\n[racks.r1]\nheight_u = 42\n'


def test_changes_of_users_and_tokens_are_recorded(people, sign_in):
    people("root", "admin")
    admin = sign_in("root")
    admin.post("/api/v1/users", json={"name": "ada", "roles": ["viewer"]})
    admin.patch("/api/v1/users/ada", json={"roles": ["operator"]})
    made = admin.post("/api/v1/tokens", json={"name": "=cmd|x", "scopes": ["read"]}).json()
    entries = admin.get("/api/v1/audit").json()["items"]
    assert [(e["action"], e["subject"], e["who"]) for e in entries] == [
        ("token.create", made["id"], "root"),
        ("user.change", "ada", "root"),
        ("user.link", "ada", "root"),
        ("user.create", "ada", "root"),
        ("session.start", "root", "root"),
    ]
    changed = entries[1]
    assert (changed["before"]["roles"], changed["after"]["roles"]) == (["viewer"], ["operator"])
    assert (changed["how"], changed["address"]) == ("session", "testclient")
    assert made["token"] not in str(entries)


def test_the_log_is_filtered_paged_and_a_file(people, sign_in):
    people("root", "admin")
    admin = sign_in("root")
    for name in ("ada", "bob", "eve"):
        admin.post("/api/v1/users", json={"name": name, "roles": ["viewer"]})
    first = admin.get("/api/v1/audit?action=user.create&limit=2").json()
    assert [e["subject"] for e in first["items"]] == ["eve", "bob"]
    rest = admin.get(f"/api/v1/audit?action=user.create&limit=2&cursor={first['next']}").json()
    assert ([e["subject"] for e in rest["items"]], rest["next"]) == (["ada"], None)
    assert admin.get("/api/v1/audit?cursor=x").status_code == 422
    rows = list(csv.DictReader(io.StringIO(admin.get("/api/v1/audit.csv?subject=ada").text)))
    assert [row["action"] for row in rows] == ["user.link", "user.create"]
    assert '"roles":["viewer"]' in rows[1]["after"]
    summary = admin.get("/api/v1/audit.summary.json?subject=ada").json()
    assert (summary["rows"], summary["complete"], summary["subject"], summary["from"]) == (2, True, "ada", None)
    table = pq.read_table(io.BytesIO(admin.get("/api/v1/audit.parquet?subject=ada").content))
    assert table["action"].to_pylist() == ["user.link", "user.create"]
    assert json.loads(table.schema.metadata[b"wattline"]) == summary


def test_no_entry_is_changed_and_none_is_deleted_but_by_age():
    assert {name for name in vars(AuditStore) if not name.startswith("_")} == {"add", "list", "delete_before"}


def test_entries_are_kept_for_good_or_for_some_days(closed, clock):
    stores = closed.app.state.stores
    day_ms, now = 86_400_000, clock.now  # 12:00 UTC
    for age, subject in ((32, "old"), (31, "of the last day"), (30, "kept")):
        clock.now = now - age * day_ms
        record(stores, SERVER, "user.change", subject)
    clock.now = now
    assert expire(stores, None) == 0
    assert expire(stores, 31) == 1
    assert expire(stores, 30) == 1
    assert expire(stores, 30) == 0
    found = stores.audit.list(AuditFilter(), 10)
    assert [(entry.action, entry.subject) for entry in found] == [
        ("audit.expire", "2026-10-21T00:00:00Z"),
        ("audit.expire", "2026-10-20T00:00:00Z"),
        ("user.change", "kept"),
    ]
    assert found[0].after == {"days": 30, "entries": 1}


def test_changes_of_the_site_are_recorded(people, sign_in):
    people("root", "admin")
    admin = sign_in("root")
    admin.post("/api/v1/sites", json={"key": "lab", "timezone": "UTC"})
    admin.patch("/api/v1/sites/lab", json={"label": "The lab"})
    admin.post("/api/v1/facility", content=FILE, headers={"Content-Type": "text/toml"})
    factor = {"unit": "1", "source": "measured", "value": 1.2}
    admin.put("/api/v1/sites/lab/factors/pue", json=factor)
    admin.put("/api/v1/sites/lab/factors/pue", json=factor | {"value": 1.3})
    admin.put("/api/v1/alerts/rules/failover", json={"enabled": False})
    admin.delete("/api/v1/sites/lab/factors/pue")
    entries = admin.get("/api/v1/audit").json()["items"]
    found = {(e["action"], e["subject"]): e for e in entries}
    assert found["facility.create.site", "lab"]["before"] is None
    changed = found["facility.change.site", "lab"]
    assert (changed["before"]["label"], changed["after"]["label"]) == (None, "The lab")
    assert found["facility.create.rack", "r1"]["after"]["site"] == "lab"
    assert found["alert.rule", "failover"]["after"]["enabled"] is False
    second = next(e for e in entries if e["action"] == "factor.set")
    assert (second["before"]["constant"], second["after"]["constant"]) == (1.2, 1.3)
    assert found["factor.delete", "lab/pue"]["before"]["constant"] == 1.3
    assert {e["who"] for e in entries} == {"root"}


def test_jobs_are_named_by_cluster_and_scheduler_and_have_a_link(people, sign_in):
    people("root", "admin")
    admin = sign_in("root")
    admin.post("/api/v1/racks", json={"key": "r1"})
    admin.post("/api/v1/nodes", json={"key": "n1"})
    body = {
        "cluster": "horeka",
        "job_id": "4711",
        "name": "resnet",
        "nodes": [{"node": "n1"}],
        "start": "2025-11-20T10:00:00Z",
    }
    answer = admin.post("/api/v1/jobs", json=body)
    assert answer.status_code == 201, answer.text
    first = answer.json()["id"]
    unnamed = {key: value for key, value in body.items() if key != "name"} | {"job_id": "4712"}
    answer = admin.post("/api/v1/jobs", json=unnamed)
    assert answer.status_code == 201, answer.text
    other = answer.json()["id"]
    admin.delete(f"/api/v1/jobs/{other}")
    entries = admin.get("/api/v1/audit").json()["items"]
    found = {(e["action"], e["subject"]): (e["label"], e["href"]) for e in entries}
    assert found["job.create", first] == ("horeka/4711 · resnet", f"/jobs/{first}")
    assert found["job.create", other] == ("horeka/4712", None)  # it is deleted: named as the entry has it
    assert found["job.delete", other] == ("horeka/4712", None)
    assert found["facility.create.rack", "r1"] == (None, "/racks/r1")
