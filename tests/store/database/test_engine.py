import contextlib
import sqlite3
import threading

import pytest
from sqlalchemy import text

from app.store.database.engine import migrate, open_engine, reading, writing


def test_processes_that_migrate_at_once_wait_for_each_other(tmp_path):
    url = f"sqlite:///{tmp_path / 'new.db'}"
    failures = []

    def start():
        engine = open_engine(url)
        try:
            migrate(engine)
        except Exception as error:
            failures.append(error)
        engine.dispose()

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def test_sqlite_survives_power_loss_and_waits_for_locks(sqlite_engine):
    with reading(sqlite_engine) as connection:
        pragma = {
            name: connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        }
    assert pragma == {"journal_mode": "wal", "synchronous": 2, "busy_timeout": 30_000, "foreign_keys": 1}


def test_a_failed_transaction_leaves_nothing(engine):
    def fail():
        with writing(engine) as connection:
            connection.execute(text("INSERT INTO lease (device, collector, fence) VALUES ('pdu', 'one', 1)"))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with reading(engine) as connection:
        assert connection.scalar(text("SELECT count(*) FROM lease")) == 0


def test_a_reading_transaction_sees_one_moment(engine):
    with reading(engine) as reader:
        assert reader.scalar(text("SELECT count(*) FROM lease")) == 0
        with writing(engine) as writer:
            writer.execute(text("INSERT INTO lease (device, collector, fence) VALUES ('pdu', 'one', 1)"))
        assert reader.scalar(text("SELECT count(*) FROM lease")) == 0
    with reading(engine) as reader:
        assert reader.scalar(text("SELECT count(*) FROM lease")) == 1


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "mysql://host/name"])
def test_other_databases_are_refused(url):
    with pytest.raises(ValueError, match="sqlite:///"):
        open_engine(url)


def test_the_fixture_refuses_a_database_that_is_not_temporary(sqlite_engine, empty_database):
    with pytest.raises(pytest.fail.Exception, match="not a temporary"):
        empty_database(sqlite_engine)


def test_a_file_with_pages_of_another_size_is_opened_as_it_is(tmp_path):
    path = tmp_path / "old.db"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE note (said TEXT)")
        connection.execute("INSERT INTO note VALUES ('kept')")
        connection.commit()
    engine = open_engine(f"sqlite:///{path}")
    migrate(engine)
    with reading(engine) as connection:
        assert connection.scalar(text("SELECT said FROM note")) == "kept"
        assert connection.scalar(text("PRAGMA page_size")) == 4096
    engine.dispose()


def test_few_connections_are_used_again_and_again_after_many(tmp_path):
    """Each has a page cache of its own: in turns all of them would fill theirs."""
    engine = open_engine(f"sqlite:///{tmp_path / 'wattline.db'}")
    with contextlib.ExitStack() as many:
        for _ in range(5):
            many.enter_context(engine.connect())
    used = set()
    for _ in range(6):
        with engine.connect() as connection:
            used.add(id(connection.connection.dbapi_connection))
    engine.dispose()
    assert len(used) == 1
