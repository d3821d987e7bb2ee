"""A copy of a whole database: the same rows and checksums, resumable, from each engine to each."""

from __future__ import annotations

import secrets

import numpy as np
import psycopg
import pytest
from sqlalchemy import BigInteger, String, inspect, make_url, select, text
from typer.testing import CliRunner

from app import cli
from app.errors import Conflict, Invalid
from app.models import METADATA
from app.store.database import UnknownSchema, database_copy, migrate, open_engine, writing
from app.store.database.database_copy import copy_database, fingerprint
from app.store.facility import Rack
from app.store.facility.facility import FacilityStore
from app.store.timeseries import FrameBatch
from app.store.timeseries.frames import FrameStore
from collectors.contract import Layout, Quantity, Series

STEP_MS = 10_000
LAYOUT = Layout("pdu-1", "main", STEP_MS, (Series("inlet", Quantity.POWER), Series("outlet/1", Quantity.POWER)))


SEALED, HOT = 1_200, 600
"""A backlog of a thousand frames and more is sealed at once."""


def fill(engine) -> None:
    """A facility with a change, sealed and unsealed samples with gaps, and a job with SQL and JSON nulls."""
    store = FacilityStore(engine)
    store.upsert([Rack(key="r1"), Rack(key="r2", label="Zwölf · 日本")])
    store.upsert([Rack(key="r1", label="renamed")])
    t_ms = np.arange(SEALED + HOT, dtype=np.int64) * STEP_MS
    values = np.stack([np.full(len(t_ms), 400.1), np.where(t_ms % 30_000 == 0, np.nan, -0.0)], axis=1)
    for part in (slice(0, SEALED), slice(SEALED, None)):
        FrameStore(engine).write([FrameBatch(LAYOUT, t_ms[part], values[part])])
    job = METADATA.tables["job"]
    given = {c.name: "" for c in job.c if isinstance(c.type, String)}
    given |= {c.name: 7 for c in job.c if isinstance(c.type, BigInteger)}
    with writing(engine) as connection:
        connection.execute(job.insert().values(given | {"id": "j1", "tags": {"a": [1, None, 0.1], "b": "\u2028'"}}))
        connection.execute(
            METADATA.tables["job_node"].insert().values(job="j1", node="n1", gpus=None, exclusive=True, start_ms=1)
        )


def contents(engine) -> dict[str, list]:
    with engine.connect() as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table)).all())) for table in METADATA.sorted_tables
        }


@pytest.fixture
def new_postgres(postgres_url):
    """An empty database without tables."""
    name = f"wattline_test_{secrets.token_hex(6)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    engine = open_engine(make_url(postgres_url).set(database=name).render_as_string(hide_password=False))
    yield engine
    engine.dispose()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def new_sqlite(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path}/copy/wattline.db")
    yield engine
    engine.dispose()


@pytest.fixture
def filled(sqlite_engine):
    fill(sqlite_engine)
    return sqlite_engine


def quiet(_table: str, _rows: int) -> None: ...


def test_sqlite_becomes_postgresql_and_back(filled, new_postgres, new_sqlite):
    told: dict[str, int] = {}
    copied = copy_database(filled, new_postgres, lambda table, rows: told.__setitem__(table, rows))
    assert {one.table for one in copied} == set(METADATA.tables) == set(told)
    assert (told["frame"], told["rack"], told["job"], told["layout"]) == (HOT, 3, 1, 1)
    before = contents(filled)
    assert contents(new_postgres) == before
    copy_database(new_postgres, new_sqlite, quiet)
    assert contents(new_sqlite) == before


def test_a_copy_goes_on_as_a_database(filled, new_postgres):
    """Numbers of new rows continue, and nothing of the copying is left."""
    copy_database(filled, new_postgres, quiet)
    FacilityStore(new_postgres).upsert([Rack(key="r3")])
    assert sorted(FacilityStore(new_postgres).now().racks) == ["r1", "r2", "r3"]
    assert not inspect(new_postgres).has_table("copy_progress")
    migrate(new_postgres)


def test_an_interrupted_copy_is_continued(filled, new_sqlite, monkeypatch):
    """The second batch of frames is the last one: 500 rows are there, and only the others are copied then."""
    insert, calls = database_copy._insert, []

    def breaking(connection, table, rows):
        insert(connection, table, rows)
        calls.append(table.name)
        if calls.count("frame") == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(database_copy, "_insert", breaking)
    with pytest.raises(KeyboardInterrupt):
        copy_database(filled, new_sqlite, quiet)
    monkeypatch.undo()
    with pytest.raises(UnknownSchema, match="unfinished copy"):
        migrate(new_sqlite)  # as a server does that starts on it
    told: dict[str, int] = {}
    copy_database(filled, new_sqlite, lambda table, rows: told.__setitem__(table, rows))
    assert (told["frame"], told["chunk_column"]) == (100, 0)
    assert contents(new_sqlite) == contents(filled)


def test_a_difference_is_named(filled, new_sqlite, monkeypatch):
    insert = database_copy._insert

    def losing(connection, table, rows):
        insert(connection, table, rows[1:] if table.name == "rack" else rows)

    monkeypatch.setattr(database_copy, "_insert", losing)
    with pytest.raises(Invalid, match=r"differ in rack \(3 and 2 rows\)"):
        copy_database(filled, new_sqlite, quiet)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE frame SET payload = zeroblob(16) WHERE t_ms % 7 = 0",
        "UPDATE job SET tags = '{}'",
        "UPDATE rack SET capacity_w = 1 WHERE key = 'r2'",
    ],
)
def test_a_changed_value_changes_the_checksum(filled, change):
    name = change.split()[1]
    before = fingerprint(filled, METADATA.tables[name])
    with writing(filled) as connection:
        connection.execute(text(change))
    after = fingerprint(filled, METADATA.tables[name])
    assert (after.rows, after.checksum != before.checksum) == (before.rows, True)


def test_a_database_with_data_is_not_copied_into(filled, tmp_path):
    other = open_engine(f"sqlite:///{tmp_path}/other/wattline.db")
    migrate(other)
    FacilityStore(other).upsert([Rack(key="mine")])
    with pytest.raises(Conflict, match="has data"):
        copy_database(filled, other, quiet)
    other.dispose()


def test_only_the_schema_of_this_version_is_copied(tmp_path, new_sqlite):
    empty = open_engine(f"sqlite:///{tmp_path}/empty/wattline.db")
    with pytest.raises(UnknownSchema, match="not the schema of this version"):
        copy_database(empty, new_sqlite, quiet)
    empty.dispose()


def test_the_command(filled, tmp_path):
    filled.dispose()
    target = tmp_path / "to" / "wattline.db"
    shown = CliRunner().invoke(cli.app, ["db", "copy", f"sqlite:///{filled.url.database}", f"sqlite:///{target}"])
    assert shown.exit_code == 0, shown.output
    assert "frame: 600 rows copied" in shown.output
    assert "the same in both databases" in shown.output
    assert target.is_file()


def test_the_command_needs_a_database_to_copy(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["wattline", "db", "copy", f"sqlite:///{tmp_path}/none.db", "sqlite:///x.db"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "there is no database" in capsys.readouterr().err
    assert not (tmp_path / "none.db").exists()
