"""The page about the interface: what it shows runs, and what can happen is on it."""

import json
import re

from app.settings import Settings
from app.store.facility import Device, Node, Rack, Room
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")


def test_its_commands_run(client, stores):
    stores.facility.upsert([Node(key="hgx-01")])
    commands = re.findall(
        r"curl -X (\w+) '?http://127\.0\.0\.1:8000(\S+?)'? -H '(\S+): (\S+)' -d '(.+?)'", PAGE, re.DOTALL
    )
    assert len(commands) == 2
    for method, path, name, value, body in commands:
        answer = client.request(method, path, content=body, headers={name: value})
        assert answer.status_code in (200, 201), answer.text
        assert answer.json().get("rejected", []) == []


def test_every_reason_to_reject_a_batch_is_on_it():
    paths = (
        "app/services/timeseries/ingest_batch.py",
        "app/services/timeseries/ingest.py",
        "collectors/contract/frame.py",
    )
    sources = "".join((ROOT / path).read_text("utf-8") for path in paths)
    codes = set(re.findall(r'ContractError\(\s*"(\w+)"', sources))
    assert len(codes) > 10
    assert {code for code in codes if f"`{code}`" not in PAGE} == set()


def test_every_token_is_on_it():
    tokens = {f"WATTLINE_{name.upper()}" for name in Settings.model_fields if name.endswith("_token")}
    assert tokens == {"WATTLINE_READ_TOKEN", "WATTLINE_INGEST_TOKEN", "WATTLINE_ADMIN_TOKEN"}
    assert all(f"`{token}`" in PAGE for token in tokens)


def test_its_error_has_the_shape_of_all_errors(client):
    (shown,) = [json.loads(text) for text in re.findall(r"```json\n(.+?)```", PAGE, re.DOTALL)]
    assert shown.keys() - {"errors"} == client.get("/api/v1/nothing").json().keys()


def test_the_curves_it_asks_for_are_answered(client, stores, deliver, clock):
    stores.facility.upsert(
        [
            Room(key="hall-1"),
            Rack(key="r07", room="hall-1"),
            Device(key="pdu-r07-a", rack="r07"),
        ],
        effective_ms=0,
    )
    deliver("pdu-r07-a", clock.now - 60_000, {"inlet:power": [700.0] * 6, "outlet/7:power": [100.0] * 6})
    drawn, file, figure = re.findall(r"curl -s 'http://127\.0\.0\.1:8000(\S+)'", PAGE)
    assert len(client.get(drawn).json()["series"][0]["t"]) == 31 * 24  # October in hours, none measured
    assert client.get(file).text.splitlines()[:2] == ["t,outlet/7 power_w", "2026-11-20T11:59:00.000Z,100"]
    assert client.get(figure).content.startswith(b"<?xml")
