"""Backups: consistent while the database is written, verified, never over a file, restored as they were."""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import threading
from contextlib import closing

import psycopg
import pytest
from sqlalchemy import make_url, text

from app.errors import Conflict, Invalid, NotFound
from app.store.database import UnknownSchema, backup, open_engine, restore, writing
from app.store.facility import Rack
from app.store.facility.facility import FacilityStore

needs_pg_dump = pytest.mark.skipif(not shutil.which("pg_dump"), reason="pg_dump is not installed")


def racks(engine) -> list[str]:
    return sorted(FacilityStore(engine).now().racks)


@pytest.fixture
def filled(sqlite_engine):
    FacilityStore(sqlite_engine).upsert([Rack(key="r1"), Rack(key="r2")])
    return sqlite_engine


def test_a_backup_is_what_was_there_and_restores_it(filled, tmp_path):
    made = backup(filled, tmp_path / "b.db")
    assert made.path.stat().st_size == made.size_bytes
    assert [file.name for file in tmp_path.glob("b.db*")] == ["b.db"]
    FacilityStore(filled).upsert([Rack(key="later")])
    with closing(sqlite3.connect(made.path)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    elsewhere = open_engine(f"sqlite:///{tmp_path}/new/wattline.db")
    done = restore(elsewhere, made.path)
    assert (done.rows, done.tables, done.replaced) == (made.rows, made.tables, None)
    assert racks(elsewhere) == ["r1", "r2"]
    elsewhere.dispose()


def test_a_database_is_replaced_only_if_asked_and_then_kept_aside(filled, tmp_path):
    made = backup(filled, tmp_path / "b.db")
    FacilityStore(filled).upsert([Rack(key="later")])
    with pytest.raises(Conflict, match="exists"):
        restore(filled, made.path)
    assert racks(filled) == ["later", "r1", "r2"]
    filled.dispose()
    done = restore(filled, made.path, replace=True, suffix="old")
    assert racks(filled) == ["r1", "r2"]
    former = open_engine(f"sqlite:///{done.replaced}")
    assert racks(former) == ["later", "r1", "r2"]
    former.dispose()


def test_a_transaction_is_in_the_backup_as_a_whole_or_not_at_all(filled, tmp_path):
    """A writer moves ten units between two rows, again and again: their sum is the same in every backup."""
    with writing(filled) as connection:
        connection.execute(text("CREATE TABLE pair (id INTEGER PRIMARY KEY, units INTEGER)"))
        connection.execute(text("INSERT INTO pair VALUES (1, 500), (2, 500)"))
    stop = threading.Event()

    def move() -> None:
        step = 10
        while not stop.is_set():
            with writing(filled) as connection:
                connection.execute(text("UPDATE pair SET units = units + :s WHERE id = 1"), {"s": step})
                connection.execute(text("UPDATE pair SET units = units - :s WHERE id = 2"), {"s": step})
            step = -step

    writer = threading.Thread(target=move)
    writer.start()
    try:
        for i in range(5):
            backup(filled, tmp_path / f"{i}.db")
    finally:
        stop.set()
        writer.join()
    for i in range(5):
        with closing(sqlite3.connect(tmp_path / f"{i}.db")) as copy:
            assert copy.execute("SELECT sum(units) FROM pair").fetchone() == (1000,)


def test_only_the_owner_reads_a_backup_and_a_restored_database(filled, tmp_path):
    """They hold hashes of passwords and tokens, and root's commands have another umask than the service."""
    before = os.umask(0o022)
    try:
        backup(filled, tmp_path / "copy.db")
        target = open_engine(f"sqlite:///{tmp_path}/restored.db")
        restore(target, tmp_path / "copy.db")
    finally:
        os.umask(before)
    assert [oct((tmp_path / name).stat().st_mode & 0o777) for name in ("copy.db", "restored.db")] == ["0o600", "0o600"]


def test_a_file_is_never_overwritten(filled, tmp_path):
    (tmp_path / "b.db").write_text("mine")
    with pytest.raises(Conflict, match="exists"):
        backup(filled, tmp_path / "b.db")
    assert (tmp_path / "b.db").read_text() == "mine"


def test_a_directory_that_is_missing_is_named(filled, tmp_path):
    with pytest.raises(NotFound, match="there is no directory"):
        backup(filled, tmp_path / "none" / "b.db")


def test_a_damaged_backup_is_refused_and_nothing_changes(filled, tmp_path):
    made = backup(filled, tmp_path / "b.db")
    octets = bytearray(made.path.read_bytes())
    octets[4096 : len(octets) - 2048] = bytes(len(octets) - 2048 - 4096)
    made.path.write_bytes(octets)
    filled.dispose()
    with pytest.raises(Invalid, match="is damaged"):
        restore(filled, made.path, replace=True)
    assert racks(filled) == ["r1", "r2"]
    assert not list(tmp_path.glob("wattline.db.partial*"))


@pytest.mark.parametrize(("content", "error"), [(None, NotFound), (b"PGDMP...", Invalid), (b"", Invalid)])
def test_what_is_no_backup_is_refused(filled, tmp_path, content, error):
    file = tmp_path / "other"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(error, match=str(file)):
        restore(filled, file, replace=True)


def test_a_database_of_another_program_is_refused(filled, tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (x)")
        other.commit()
    with pytest.raises(UnknownSchema, match="no schema of Wattline"):
        restore(filled, tmp_path / "other.db", replace=True)


@needs_pg_dump
def test_postgresql_is_dumped_and_restored_into_an_empty_database(postgres_engine, tmp_path):
    FacilityStore(postgres_engine).upsert([Rack(key="r1")])
    made = backup(postgres_engine, tmp_path / "b.dump")
    with pytest.raises(Conflict, match="has tables"):
        restore(postgres_engine, made.path)
    name = f"wattline_test_{secrets.token_hex(6)}"
    server = postgres_engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    try:
        empty = open_engine(make_url(server).set(database=name).render_as_string(hide_password=False))
        done = restore(empty, made.path)
        assert (done.rows, done.tables) == (made.rows, made.tables)
        assert racks(empty) == ["r1"]
        empty.dispose()
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
