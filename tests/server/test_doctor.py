"""What `wattline doctor` finds in a running installation."""

from __future__ import annotations

import dataclasses

import pytest

from app.server import doctor
from app.server.doctor import findings
from app.server.operation_findings import operation_findings
from app.services.stores import open_stores
from app.settings import Settings
from app.store.access import ApiToken
from app.store.devices import PollFailure, Renewal
from app.store.facility import Device
from collectors.contract import DAY_MS

NOW = 1_795_176_000_000  # 2026-11-20T12:00:00Z


@pytest.fixture
def stores(sqlite_engine, tmp_path):
    found = open_stores(Settings(data_dir=tmp_path), lambda: NOW, sqlite_engine)
    found.facility.upsert(
        [Device(key=f"pdu-{n}", kind="pdu", profile="apc-rpdu2", address=f"snmp://10.0.0.{n}") for n in range(1, 8)]
    )
    return found


def said(stores) -> list[tuple[bool, str]]:
    return [dataclasses.astuple(one) for one in operation_findings(stores)]


def lease(stores, name: str, offset_ms: int | None) -> None:
    stores.leases.renew(Renewal(name, 30_000, offset_ms, 200), {}, {}, NOW)


def test_devices_that_were_never_polled_and_no_collector(stores):
    assert said(stores)[:2] == [
        (False, "no collector polls the devices: run wattline up, or wattline collect"),
        (False, "7 of 7 devices have never been polled"),
    ]


def test_silent_devices_are_named_with_the_reason(stores):
    stores.health.record_failures(
        [
            PollFailure(
                device=f"pdu-{n}", collector="c", t_ms=NOW - 1_000, duration_ms=10, code="x", detail="no answer"
            )
            for n in range(1, 8)
        ]
    )
    ok, text = said(stores)[1]
    assert not ok
    assert text.startswith("7 of 7 devices do not respond: pdu-1 (no reading so far, no answer), ")
    assert text.endswith(" and 2 more")


@pytest.mark.parametrize(
    ("offset_ms", "expected"),
    [
        (40, (True, "collectors running: 1, largest clock offset 0.04 s")),
        (-1_050, (True, "collectors running: 1, largest clock offset 1.05 s")),  # half of 0.2 s is allowed
        (-3_600_000, (False, "clocks of collectors differ from the server's: hall-1 -3600.0 s: set them by NTP")),
        (None, (True, "collectors running: 1, clock offsets not measured yet")),
    ],
)
def test_clocks_of_collectors(stores, offset_ms, expected):
    lease(stores, "hall-1", offset_ms)
    assert said(stores)[0] == expected


def token(id_: str, until_ms: int | None) -> ApiToken:
    return ApiToken(id_, id_, f"wl_{id_}", f"token {id_}", (), "ada", NOW - DAY_MS, until_ms=until_ms)


def test_tokens_are_listed_and_those_that_expire_named(stores):
    stores.tokens.create(token("a", None))
    stores.tokens.create(token("old", NOW - 1))
    assert said(stores)[-1] == (True, "tokens: no variable set; valid API tokens: 1")
    stores.tokens.create(token("b", NOW + 3 * DAY_MS))
    assert said(stores)[-1] == (
        False,
        "API tokens that expire within a week: token b (wl_b…, 2026-11-23): create new ones",
    )


def test_version_disk_and_database_are_named(sqlite_engine, tmp_path, monkeypatch):
    texts = [one.text for one in findings(Settings(data_dir=tmp_path))]
    assert texts[0].startswith("Wattline 0.")
    assert any(f"GiB free on the disk of {tmp_path}" in text for text in texts)
    assert any("has the schema of this version" in text for text in texts)
    monkeypatch.setattr(doctor, "_LEAST_FREE_BYTES", 2**60)
    (low,) = [one for one in findings(Settings(data_dir=tmp_path)) if "GiB free" in one.text]
    assert (low.ok, low.text.endswith(": free space there")) == (False, True)
