"""Is it alive, and can it do its work."""

import sqlite3
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from app.domain.timeseries.timestamps import rfc3339
from app.errors import Unavailable
from app.server.application import create_app
from app.settings import Settings
from app.store.database import open_engine, require_writable


def test_alive_and_ready(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_a_database_of_another_version_is_not_ready(client, engine):
    with engine.begin() as connection:
        version = connection.scalar(text("SELECT version_num FROM alembic_version"))
        connection.execute(text("UPDATE alembic_version SET version_num = 'older'"))
    try:
        answer = client.get("/readyz")
        assert (answer.status_code, answer.json()["code"]) == (503, "not_ready")
        assert "wattline db upgrade" in answer.json()["hint"]
        assert client.get("/healthz").status_code == 200
    finally:
        with engine.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def test_a_locked_database_is_not_ready(sqlite_engine):
    other = sqlite3.connect(sqlite_engine.url.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="database is locked"):
        require_writable(sqlite_engine, patience_s=0.05)
    other.execute("ROLLBACK")
    other.close()
    require_writable(sqlite_engine, patience_s=0.05)


def test_a_full_disk_is_not_ready(sqlite_engine):
    with pytest.raises(Unavailable, match="MB free") as raised:
        require_writable(sqlite_engine, least_free_bytes=2**60)
    assert raised.value.code == "disk_full"


def test_a_database_that_may_only_be_read_is_not_ready(postgres_url):
    engine = open_engine(f"{postgres_url}?options=-cdefault_transaction_read_only%3Don")
    with pytest.raises(Unavailable, match="may only be read"):
        require_writable(engine)
    engine.dispose()


def test_a_damaged_file_is_named_with_what_to_do(sqlite_engine, tmp_path):
    path = Path(sqlite_engine.url.database)
    sqlite_engine.dispose()
    octets = bytearray(path.read_bytes())
    octets[2048:] = b"\xff" * (len(octets) - 2048)
    path.write_bytes(octets)
    client = TestClient(create_app(Settings(data_dir=tmp_path), engine=sqlite_engine), base_url="http://127.0.0.1")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "database_damaged")
    assert "wattline db restore --replace FILE" in answer.json()["hint"]


def test_moments_are_reported_in_utc():
    assert rfc3339(0) == "1970-01-01T00:00:00Z"
    assert rfc3339(1_795_176_000_250) == "2026-11-20T12:00:00.250Z"
    assert rfc3339(None) is None
