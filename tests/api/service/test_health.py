"""Is it alive, and can it do its work."""

from sqlalchemy import text

from app.domain.timeseries.timestamps import rfc3339


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


def test_moments_are_reported_in_utc():
    assert rfc3339(0) == "1970-01-01T00:00:00Z"
    assert rfc3339(1_795_176_000_250) == "2026-11-20T12:00:00.250Z"
    assert rfc3339(None) is None
