import contextlib
import sqlite3
import threading

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import inspect, text

from app import paths
from app.models import METADATA
from app.store.database.engine import migrate, open_engine, reading, schema_is_current, writing


def test_models_and_migrations_agree(engine):
    with reading(engine) as connection:
        stores = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(stores, METADATA) == []


def test_indexes_of_models_and_migrations_agree(engine):
    """Autogenerate does not compare the predicates of partial indexes."""
    option = f"{engine.dialect.name}_where"
    found = {
        (name, index["name"]): index["dialect_options"][option]
        for name in METADATA.tables
        for index in inspect(engine).get_indexes(name)
        if option in index.get("dialect_options", {})
    }
    assert {key: str(where).strip("()") for key, where in found.items()} == {
        (index.table.name, index.name): str(index.dialect_options[engine.dialect.name]["where"])
        for table in METADATA.tables.values()
        for index in table.indexes
        if index.dialect_options[engine.dialect.name]["where"] is not None
    }


def test_migrating_again_changes_nothing(engine):
    migrate(engine)
    newest = max(path.name[:4] for path in (paths.migrations() / "versions").glob("[0-9]*.py"))
    with reading(engine) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == newest


def test_an_old_database_keeps_its_rows(engine):
    config = Config()
    config.set_main_option("script_location", str(paths.migrations()))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        connection.execute(
            text("INSERT INTO job (id, cluster, submit_ms, name, start_ms, tags) VALUES ('J', '', 0, 'a', 1, '{}')")
        )
    assert not schema_is_current(engine)
    migrate(engine)
    assert schema_is_current(engine)
    with reading(engine) as connection:
        assert connection.execute(text("SELECT id, name, touched_ms FROM job")).all() == [("J", "a", None)]


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


def test_downgrade_leaves_nothing(sqlite_engine):
    config = Config()
    config.set_main_option("script_location", str(paths.migrations()))
    with writing(sqlite_engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    assert inspect(sqlite_engine).get_table_names() == ["alembic_version"]


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
            connection.execute(text("INSERT INTO lease (device, collector, until_ms) VALUES ('pdu', 'one', 1)"))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with reading(engine) as connection:
        assert connection.scalar(text("SELECT count(*) FROM lease")) == 0


def test_a_reading_transaction_sees_one_moment(engine):
    with reading(engine) as reader:
        assert reader.scalar(text("SELECT count(*) FROM lease")) == 0
        with writing(engine) as writer:
            writer.execute(text("INSERT INTO lease (device, collector, until_ms) VALUES ('pdu', 'one', 1)"))
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
