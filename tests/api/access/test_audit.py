"""The audit log: who changed what, from where, before and after; entries are only added."""

import csv
import io

from app.store.access import AuditStore

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


def test_no_entry_is_changed_or_deleted():
    assert {name for name in vars(AuditStore) if not name.startswith("_")} == {"add", "list"}


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
