import numpy as np
import pytest
from typer.testing import CliRunner

from app.cli import app
from app.store.database.engine import migrate, open_engine
from app.store.database.table_stats import stats
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract.frame import Layout, Quantity, Series

DAY = 86_400_000
LAYOUT = Layout("pdu", "main", 10_000, (Series("a", Quantity.POWER), Series("b", Quantity.POWER)))


def fill(engine):
    """A day that is sealed, one value of it missing, and three frames after it."""
    t = 10_000 * np.arange(8643, dtype=np.int64)
    values = np.column_stack([np.full(8643, 100.0), np.full(8643, 7.0)])
    values[5, 1] = np.nan
    FrameStore(engine).write([FrameBatch(LAYOUT, t, values)])
    seal(engine, DAY)


def test_every_table_is_counted(engine):
    fill(engine)
    found = {one.name: one for one in stats(engine).tables}
    frame, column, chunk = found["frame"], found["chunk_column"], found["chunk"]
    assert (frame.rows, frame.samples, frame.oldest_ms, frame.newest_ms) == (3, 6, DAY, DAY + 20_000)
    assert (chunk.rows, chunk.oldest_ms, chunk.newest_ms) == (1, 0, DAY - 10_000)
    assert (column.rows, column.samples) == (2, 2 * 8640 - 1)
    assert column.bytes_per_sample == column.bytes / 17_279
    assert stats(engine).sealed_bytes_per_sample == (column.bytes + chunk.bytes) / 17_279
    assert (found["job"].rows, found["job"].oldest_ms, found["job"].bytes_per_sample) == (0, None, None)
    assert all(one.bytes > 0 for one in found.values())


def test_an_empty_database_has_nothing_sealed(sqlite_engine):
    assert stats(sqlite_engine).sealed_bytes_per_sample is None


@pytest.fixture
def wattline(tmp_path, monkeypatch):
    """The command line on a database of its own."""
    url = f"sqlite:///{tmp_path / 'wattline.db'}"
    monkeypatch.setenv("WATTLINE_DATABASE_URL", url)
    monkeypatch.setenv("COLUMNS", "160")
    engine = open_engine(url)
    migrate(engine)
    yield engine, CliRunner()
    engine.dispose()


def test_the_command_shows_it(wattline):
    engine, runner = wattline
    fill(engine)
    answer = runner.invoke(app, ["db", "stats"])
    assert answer.exit_code == 0, answer.output
    [column] = [line for line in answer.output.splitlines() if "chunk_column" in line]
    assert "17,279" in column
    assert "1970-01-01 23:59:50Z" in column
    assert "bytes per sample in sealed windows" in answer.output


def test_spreading_sqlite_says_why_not(wattline):
    _, runner = wattline
    answer = runner.invoke(app, ["db", "distribute"])
    assert answer.exit_code != 0
    assert "SQLite is a single file on one machine" in str(answer.exception)


def test_a_database_without_tables_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("WATTLINE_DATABASE_URL", f"sqlite:///{tmp_path}/new.db")
    answer = CliRunner().invoke(app, ["db", "stats"])
    assert answer.exit_code != 0
    assert "new.db has not the schema of this version" in str(answer.exception)
