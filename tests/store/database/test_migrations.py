"""The schema that migrations create, and upgrades from the initial schema with data in every table."""

from datetime import UTC, datetime

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import JSON, Boolean, Float, Integer, LargeBinary, MetaData, func, inspect, select, text

from app import paths
from app.models import METADATA
from app.store.database.engine import UnknownSchema, migrate, reading, schema_is_current, writing

BASELINE = "wattline_0001"
SAMPLES = ((Boolean, True), (Float, 0.5), (Integer, 7), (LargeBinary, b"\x00"), (JSON, {"a": 1}))


@pytest.fixture
def config():
    config = Config()
    config.set_main_option("script_location", str(paths.migrations()))
    return config


def set_revision(engine, config, steps):
    """Run downgrades and upgrades one after the other."""
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        for step, revision in steps:
            step(config, revision)


@pytest.fixture
def at_baseline(engine, config):
    """An engine whose database has the initial schema; the newest again afterwards."""
    set_revision(engine, config, [(command.downgrade, "base"), (command.upgrade, BASELINE)])
    yield engine
    set_revision(engine, config, [(command.downgrade, "base"), (command.upgrade, "head")])


def test_models_and_migrations_agree(engine):
    with reading(engine) as connection:
        stores = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(stores, METADATA) == []


def without_brackets(where):
    """PostgreSQL puts brackets around every part of a condition."""
    return str(where).replace("(", "").replace(")", "")


def test_indexes_of_models_and_migrations_agree(engine):
    """Autogenerate does not compare the predicates of partial indexes."""
    option = f"{engine.dialect.name}_where"
    found = {
        (name, index["name"]): index["dialect_options"][option]
        for name in METADATA.tables
        for index in inspect(engine).get_indexes(name)
        if option in index.get("dialect_options", {})
    }
    assert {key: without_brackets(where) for key, where in found.items()} == {
        (index.table.name, index.name): without_brackets(index.dialect_options[engine.dialect.name]["where"])
        for table in METADATA.tables.values()
        for index in table.indexes
        if index.dialect_options[engine.dialect.name]["where"] is not None
    }


def test_there_is_one_line_of_migrations_from_the_initial_schema(config):
    script = ScriptDirectory.from_config(config)
    assert script.get_bases() == [BASELINE]
    assert len(script.get_heads()) == 1
    files = sorted(path.name for path in (paths.migrations() / "versions").glob("[0-9]*.py"))
    assert [name[:4] for name in files] == [f"{i:04}" for i in range(1, len(files) + 1)]


def test_migrating_again_changes_nothing(engine):
    migrate(engine)
    newest = max(path.name[:4] for path in (paths.migrations() / "versions").glob("[0-9]*.py"))
    with reading(engine) as connection:
        assert connection.scalar(text("SELECT version_num FROM alembic_version")) == f"wattline_{newest}"


def sample(column):
    """A value that the column takes."""
    found = next((value for type_, value in SAMPLES if isinstance(column.type, type_)), "x")
    return found if column.type.python_type is not datetime else datetime(2026, 1, 1, tzinfo=UTC)


def schema(connection):
    found = MetaData()
    found.reflect(connection)
    return [table for table in found.sorted_tables if table.name != "alembic_version"]


def rows_by_table(connection):
    return {table.name: connection.scalar(select(func.count()).select_from(table)) for table in schema(connection)}


def test_a_database_of_the_initial_schema_keeps_its_rows(at_baseline):
    """A row in every table of the initial schema is there after the upgrade to the newest one.

    A migration that moves rows to another table, or drops a table, says so here.
    """
    with writing(at_baseline) as connection:
        for table in schema(connection):
            connection.execute(table.insert().values({column.name: sample(column) for column in table.c}))
        before = rows_by_table(connection)
        assert set(before.values()) == {1}
    migrate(at_baseline)
    assert schema_is_current(at_baseline)
    with reading(at_baseline) as connection:
        after = rows_by_table(connection)
        assert set(after) == set(METADATA.tables)
        assert {name: after.get(name) for name in before} == before


@pytest.mark.parametrize(
    ("revision", "detail", "hint"),
    [
        ("0014", "0014, from before the first release, and cannot be upgraded", "WATTLINE_DATABASE_URL to a new"),
        ("0001", "0001, from before the first release, and cannot be upgraded", "WATTLINE_DATABASE_URL to a new"),
        ("wattline_9999", "wattline_9999, which this version of Wattline does not know", "or a newer one"),
    ],
)
def test_a_schema_that_cannot_be_upgraded_is_refused_with_the_fix(sqlite_engine, revision, detail, hint):
    with writing(sqlite_engine) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    assert not schema_is_current(sqlite_engine)
    with pytest.raises(UnknownSchema) as raised:
        migrate(sqlite_engine)
    assert detail in raised.value.detail
    assert hint in raised.value.hint


def test_downgrade_leaves_nothing(sqlite_engine, config):
    set_revision(sqlite_engine, config, [(command.downgrade, "base")])
    assert inspect(sqlite_engine).get_table_names() == ["alembic_version"]
