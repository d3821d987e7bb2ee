"""The statements that spread the tables, on a PostgreSQL that writes down what Citus would be asked."""

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import UniqueConstraint, event, text

from app.models import METADATA
from app.store.database.citus import NoCitus, distribute, placements
from app.store.database.engine import reading, writing
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

SERIES = (Series("inlet", Quantity.POWER),)

RECORDER = """
CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY);
CREATE TABLE asked (id serial, what text);
CREATE TABLE left_behind (what regclass);
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO asked (what) VALUES ($1::text || ' by ' || $2 || ' with ' || colocate_with);
  INSERT INTO pg_dist_partition VALUES ($1) $$;
CREATE FUNCTION truncate_local_data_after_distributing_table(regclass) RETURNS void LANGUAGE sql AS $$
  INSERT INTO left_behind VALUES ($1) $$;
CREATE FUNCTION create_reference_table(regclass) RETURNS void LANGUAGE sql AS $$
  INSERT INTO asked (what) VALUES ($1::text || ' everywhere');
  INSERT INTO pg_dist_partition VALUES ($1) $$;
"""
NO_RECORDER = """
DROP FUNCTION truncate_local_data_after_distributing_table(regclass);
DROP FUNCTION create_distributed_table(regclass, text, text);
DROP FUNCTION create_reference_table(regclass);
DROP TABLE asked, left_behind, pg_dist_partition;
"""


@pytest.fixture
def recorder(postgres_engine):
    """An engine whose database pretends to be a Citus coordinator."""
    with writing(postgres_engine) as connection:
        connection.execute(text(RECORDER))
    yield postgres_engine
    with writing(postgres_engine) as connection:
        connection.execute(text(NO_RECORDER))


def asked(engine):
    with reading(engine) as connection:
        return list(connection.scalars(text("SELECT what FROM asked ORDER BY id")))


def test_readings_lie_by_stream_minutes_by_subject_and_the_rest_everywhere(recorder):
    moved = distribute(recorder)
    found = asked(recorder)
    assert found[:7] == [
        "frame by stream_id with none",
        "chunk by stream_id with frame",
        "chunk_column by stream_id with frame",
        "latest_frame by stream_id with frame",
        "rollup_backlog by stream_id with frame",
        "rollup_day_series by subject with none",
        "rollup_day_summary by subject with rollup_day_series",
    ]
    assert {"stream everywhere", "layout everywhere", "node everywhere", "job everywhere"} <= set(found)
    assert not {"lease everywhere", "task_lock everywhere"} & set(found)
    assert len(moved) == len(found)


def test_again_does_what_is_left(recorder):
    distribute(recorder)
    before = asked(recorder)
    assert distribute(recorder) == []
    with writing(recorder) as connection:  # as if it had been interrupted
        connection.execute(text("DELETE FROM pg_dist_partition WHERE logicalrelid = 'rollup_day_series'::regclass"))
    assert [placement.table for placement in distribute(recorder)] == ["rollup_day_series"]
    assert asked(recorder) == [*before, "rollup_day_series by subject with none"]


def transactions(engine):
    """How many transactions a delivery of three devices' frames takes, once their layouts are known."""
    frames, t = FrameStore(engine), np.array([1000, 2000])
    batches = [FrameBatch(Layout(f"pdu-{i}", "main", 1000, SERIES), t, np.ones((2, 1))) for i in range(3)]
    frames.write(batches)
    committed = []

    def count(_):
        committed.append(1)

    event.listen(engine, "commit", count)
    try:
        assert [result.accepted for result in frames.write([replace(b, t_ms=b.t_ms + 5000) for b in batches])] == [
            2
        ] * 3
    finally:
        event.remove(engine, "commit", count)
    return len(committed)


def test_a_delivery_is_one_transaction(engine):
    assert transactions(engine) == 1


def test_a_delivery_is_one_transaction_a_stream_where_streams_lie_on_several_machines(recorder):
    assert transactions(recorder) == 3


def test_without_the_extension_it_says_so(engine):
    expected = "single file" if engine.dialect.name == "sqlite" else "Citus extension is not in this database"
    with pytest.raises(NoCitus, match=expected) as error:
        distribute(engine)
    assert error.value.hint


def test_what_citus_forbids_is_not_there():
    """The distribution column is in every key of a spread table, and no foreign key leaves or meets one."""
    spread = {placement.table: placement.by for placement in placements() if placement.place == "distributed"}
    for name, by in spread.items():
        row = METADATA.tables[name]
        assert by in row.primary_key.columns
        uniques = [c for c in row.constraints if isinstance(c, UniqueConstraint)]
        assert all(by in unique.columns for unique in uniques)
        assert all(by in index.columns for index in row.indexes if index.unique)
        assert not row.foreign_keys
    assert {placement.table for placement in placements()} == set(METADATA.tables)


def test_a_foreign_key_joins_reference_tables_and_the_referenced_one_is_spread_first():
    order = [placement.table for placement in placements()]
    reference = {placement.table for placement in placements() if placement.place == "reference"}
    keys = {(row.name, key.column.table.name) for row in METADATA.tables.values() for key in row.foreign_keys}
    assert keys == {("job_node", "job"), ("job_summary", "job")}
    for child, parent in keys:
        assert {child, parent} <= reference
        assert order.index(parent) < order.index(child)


def test_no_rows_of_big_tables_stay_on_the_coordinator(recorder):
    distribute(recorder)
    with reading(recorder) as connection:
        emptied = set(connection.scalars(text("SELECT what::text FROM left_behind")))
    assert emptied == {
        "frame", "chunk", "chunk_column", "latest_frame", "rollup_backlog", "rollup_day_series", "rollup_day_summary",
    }  # fmt: skip
