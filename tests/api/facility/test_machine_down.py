"""A machine of a distributed database is down: pages answer with what can be read and name what cannot.

The hall of `tests/api/hall.py`: of rack r1 with 20 kW pdu-a is here and pdu-b is on the other machine, 1,500 W each for
an hour; n1 takes 1,000 W of each, n2 500 W. Without pdu-b 1,500 W of 3,000 W are known, 7.5 % of 20 kW.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from app.models import METADATA
from app.server.application import create_app
from app.services.alerts import QUICK, evaluate
from app.services.pages import facility_day
from app.services.rollups import refresh_minutes
from app.settings import Settings
from collectors.contract import DAY_MS
from tests.api import hall
from tests.checked_client import client_of
from tests.store.two_machines import TwoMachines, two_machines

THIN = "\u2009"
WHY = "cannot be read: the database server that holds them does not respond."
RULES = ("rack_load", "circuit_load", "failover", "inlet_temperature")
READINGS = ("frame", "chunk", "chunk_column", "latest_frame")


@pytest.fixture(scope="module")
def site(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TwoMachines, Any]]:
    """The machines and a client; the minutes of the hour are computed, those of rack r1 are on the other machine."""
    with two_machines(postgres_url) as machines:
        app = create_app(Settings(data_dir=tmp_path_factory.mktemp("site")), lambda: hall.NOW, machines.engine)
        hall.build(app.state.stores)
        while refresh_minutes(app.state.stores, "test"):
            pass
        machines.distribute(["pdu-b"], ["rack/r1:power", "site/lab:power"])
        app = create_app(Settings(data_dir=tmp_path_factory.mktemp("site")), lambda: hall.NOW, machines.engine)
        yield machines, client_of(app, raise_server_exceptions=False)


@pytest.fixture
def machines(site: tuple[TwoMachines, Any]) -> TwoMachines:
    return site[0]


@pytest.fixture
def client(site: tuple[TwoMachines, Any]) -> Any:
    return site[1]


def page(client: Any, path: str) -> Any:
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_facility_page_shows_what_can_be_read(machines, client):
    whole = page(client, "/facility")
    assert (whole["unread"], whole["now"]["power_w"], whole["total"]["coverage"]) == (None, 3000.0, 1 / 24)
    with machines.down():
        view = page(client, "/facility")
        assert view["unread"] == {"text": f"Readings of pdu-b {WHY}", "devices": ["pdu-b"], "racks": []}
        now = view["now"]
        assert (now["power_w"], now["known_w"], now["last_known_w"]) == (None, 1500.0, None)
        assert now["missing"] == {"count": 1, "keys": ["pdu-b/unread"]}
        assert view["title"] == f"The facility draws at least 7{THIN}% of its usable power; pdu-b cannot be read"
        total = view["total"]
        assert (total["max_w"], total["energy_j"]) == (1500.0, pytest.approx(1500 * 3600, rel=0.003))
        assert (total["coverage"], total["gaps"], total["is_partial"]) == (None, 0, True)
        assert (view["devices"]["answering"], view["devices"]["unread"], view["devices"]["silent"]) == (1, 1, [])
        assert view["devices"]["title"] == "Of 1 of 2 devices it is not known whether they respond"
        assert [(m["what"], m["known"]) for m in view["missing"]] == [("pdu-b cannot be read", f"≥ 1.5{THIN}kW")]
        assert view["titles"]["load"] == "R1 is known in part"
        assert "silent" not in str(view["figures"])
    assert page(client, "/facility") == whole


def test_a_facility_page_made_of_minutes(machines, client, monkeypatch):
    """The minutes of the only rack are on the other machine: nothing of the day is known, and the page says so."""
    monkeypatch.setattr(facility_day, "MANY_METERS", 0)
    with machines.down():
        view = page(client, "/facility")
        why = (
            "Readings of pdu-b and minutes of r1 cannot be read: the database server that holds them does not respond."
        )
        assert view["unread"] == {"text": why, "devices": ["pdu-b"], "racks": ["r1"]}
        assert (view["total"]["max_w"], view["total"]["coverage"]) == (None, None)
        assert view["now"]["known_w"] == 1500.0
    assert page(client, "/facility")["total"]["max_w"] == 3000.0


def test_the_page_of_a_device_that_cannot_be_read(machines, client):
    whole = page(client, "/views/device/pdu-b")
    assert (whole["device"]["state"], whole["gaps"]["covered"], whole["unread"]) == ("answering", 1.0, None)
    with machines.down():
        view = page(client, "/views/device/pdu-b")
        assert view["unread"]["text"] == f"Readings of pdu-b {WHY}"
        row = view["device"]
        assert (row["state"], row["last"], row["polled"], row["answered"]) == ("unread", None, None, None)
        assert view["gaps"] == {
            "series": "pdu-b/inlet:power", "since": None, "covered": None, "count": 0, "longest_s": None,
        }  # fmt: skip
        assert view["figures"]["answers"]["empty"]["what"] == "Whether readings are missing is not known."
        points = {row["point"]: row for group in view["points"] for row in group["rows"]}
        assert len(points) == len({row["point"] for group in whole["points"] for row in group["rows"]}) == 8
        assert (points["inlet"]["t"], points["inlet"]["energy_j"]) == (None, None)
        assert page(client, "/views/device/pdu-a") == page(client, "/views/device/pdu-a")
        assert page(client, "/views/device/pdu-a")["unread"] is None  # its machine responds: it is read as always
    assert page(client, "/views/device/pdu-b") == whole


def test_the_pages_of_its_rack_and_its_nodes(machines, client):
    before = [page(client, path) for path in ("/views/rack/r1", "/views/node/n1", "/views/devices")]
    with machines.down():
        rack, node, devices = (page(client, path) for path in ("/views/rack/r1", "/views/node/n1", "/views/devices"))
    assert {view["unread"]["text"] for view in (rack, node, devices)} == {f"Readings of pdu-b {WHY}"}
    assert (rack["draw"]["known_w"], rack["draw"]["missing"]["keys"]) == (1500.0, ["pdu-b/unread"])
    assert rack["feeds"]["measured"]["verdict"] == "Whether every circuit is within its limit cannot be said yet."
    assert not any("no readings" in note.lower() for note in rack["figures"]["stack"]["notes"])
    assert (node["draw"]["power_w"], node["draw"]["known_w"]) == (None, 1000.0)
    assert (node["stats"]["coverage"], node["cords_title"]) == (None, "1 of 2 cords cannot be read")
    assert not any("no readings" in note for note in node["figures"]["power"]["notes"])
    assert [(row["key"], row["state"]) for row in devices["rows"]] == [("pdu-b", "unread"), ("pdu-a", "answering")]
    assert [page(client, path) for path in ("/views/rack/r1", "/views/node/n1", "/views/devices")] == before


def test_live_values_of_what_can_be_read(machines, client):
    with machines.down():
        live = page(client, "/power")
        assert live["racks"]["r1"]["missing"] == {"count": 1, "keys": ["pdu-b/unread"]}
        assert (live["racks"]["r1"]["known_w"], live["nodes"]["n2"]["known_w"]) == (1500.0, 500.0)
        assert {key: one["state"] for key, one in live["devices"].items()} == {"pdu-a": "ok", "pdu-b": "unread"}
    assert page(client, "/power")["racks"]["r1"]["power_w"] == 3000.0


def test_nothing_is_made_of_a_part(postgres_url, tmp_path):
    """Rollups and alerts fail while a machine is down, and are the same afterwards; caches hold nothing of a part."""
    with two_machines(postgres_url) as machines:
        app = create_app(Settings(data_dir=tmp_path), lambda: hall.NOW, machines.engine)
        stores, client = app.state.stores, client_of(app, raise_server_exceptions=False)
        hall.build(stores)
        machines.distribute(["pdu-b"], tables=READINGS)
        before = stored(machines)
        with machines.down():
            for path in ("/facility", "/views/rack/r1", "/views/node/n1", "/views/device/pdu-b", "/power"):
                page(client, path)
            for refresh in (refresh_minutes, lambda some, holder: evaluate(some, holder, QUICK)):
                with pytest.raises(OperationalError):
                    refresh(stores, "test")
            undecided = {one["rule"]: one["missing"] for one in page(client, "/alerts")["undecided"]}
            assert undecided == dict.fromkeys(RULES, "pdu-b cannot be read")
            assert page(client, "/views/alerts")["counts"]["active"] == 0
            assert client.get("/metrics").status_code == 503  # a sum of some is no sum
            curves = ("devices/pdu-a", "devices/pdu-b", "racks/r1", "sites/lab", "nodes/n1")
            found = [client.get(f"/api/v1/{curve}/curve{end}").status_code for curve in curves for end in ("", ".csv")]
            assert found == [200, 200, *[503] * 8]  # what a reader keeps is whole
        assert stored(machines) == before
        assert stores.last_values._found.known() == stores.derived_powers.known() == []
        while refresh_minutes(stores, "test"):
            pass
        day_ms = hall.NOW // DAY_MS * DAY_MS
        # 3,000 W from 11:00 to the last reading at 12:00, which counts until the end of its interval at the most
        energy_j = stores.minutes.energies(["rack/r1:power"], day_ms)["rack/r1:power"][day_ms]
        assert energy_j == pytest.approx(3000 * 3600, rel=0.003)
        evaluate(stores, "test", QUICK)
        assert stores.alerts.counts().active == 0
        assert page(client, "/facility")["now"]["power_w"] == 3000.0


def stored(machines: TwoMachines) -> dict[str, int]:
    """How many rows each table has that is made of readings."""
    tables = [name for name in METADATA.tables if name not in (*READINGS, "task_lock")]
    with machines.engine.connect() as connection:
        return {name: connection.scalar(text(f"SELECT count(*) FROM {name}")) for name in tables}
