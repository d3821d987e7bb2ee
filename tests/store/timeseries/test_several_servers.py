"""Several servers on one PostgreSQL: what interrupts one of them loses nothing and doubles nothing."""

import threading

import numpy as np
import pytest
from sqlalchemy import create_engine, event, text
from sqlalchemy.exc import DBAPIError, TimeoutError

from app.store.database import distribute, fault, has_citus, reading, writing
from app.store.database.engine import MOST_CONNECTIONS, open_engine
from app.store.timeseries.compaction import seal
from app.store.timeseries.frames import FRAME, FrameStore
from app.store.timeseries.readings import FrameBatch
from collectors.contract import Layout, Quantity, Series

T0 = 1_754_006_400_000
KEY = "pdu/a:power"
LAYOUT = Layout("pdu", "main", 1_000, (Series("a", Quantity.POWER), Series("b", Quantity.POWER)))
FRAMES, BATCHES = 20, 30
STOCK_POSTGRESQL, RESERVED = 100, 3
"""max_connections of an unchanged installation, and superuser_reserved_connections of it."""


def batch(number: int) -> FrameBatch:
    t_ms = T0 + 1_000 * np.arange(number * FRAMES, (number + 1) * FRAMES)
    value = (t_ms - T0) / 1000.0
    return FrameBatch(LAYOUT, t_ms, np.stack([value, -value], axis=1))


def stored(engine) -> list[float]:
    return FrameStore(engine).read([KEY], T0, T0 + 10**9)[KEY].v.tolist()


def everything(batches: int = BATCHES) -> list[float]:
    return [float(i) for i in range(batches * FRAMES)]


def servers(engine, n: int, **options):
    """Servers of their own on the database."""
    return [create_engine(engine.url, pool_pre_ping=True, **options) for _ in range(n)]


def deliver(frames: FrameStore, numbers: range, failures: list[str]) -> None:
    """Deliver batches as a collector does: what was not acknowledged is sent again."""
    for number in numbers:
        for _ in range(50):
            try:
                frames.write([batch(number)])
                break
            except (DBAPIError, TimeoutError) as error:
                found = fault(error)
                failures.append(found.code if found else repr(error))
        else:
            raise AssertionError(f"batch {number} was never stored")


class Stopped(Exception):
    """A server that stops."""


def delete_and_stop(engine) -> None:
    with writing(engine) as connection:
        connection.execute(FRAME.delete())
        raise Stopped


def test_two_servers_fit_into_a_stock_postgresql(postgres_engine):
    engine = open_engine(postgres_engine.url.render_as_string(hide_password=False))
    assert engine.pool.size() + engine.pool._max_overflow == MOST_CONNECTIONS
    assert 2 * MOST_CONNECTIONS <= STOCK_POSTGRESQL - RESERVED - 10  # for commands, backups and monitoring
    engine.dispose()


def test_servers_that_restart_in_turn_lose_and_double_nothing(postgres_engine):
    running = servers(postgres_engine, 2)
    failures: list[str] = []
    for number in range(BATCHES):
        deliver(FrameStore(running[number % 2]), range(number, number + 1), failures)
        if number % 5 == 0:  # one stops in the middle of a transaction, and a new process takes its place
            with pytest.raises(Stopped):
                delete_and_stop(running[0])
            running[0].dispose()
            running[0] = servers(postgres_engine, 1)[0]
            deliver(FrameStore(running[0]), range(number, number + 1), failures)  # its answer did not arrive
    assert stored(postgres_engine) == everything()
    assert failures == []
    for one in running:
        one.dispose()


def test_a_terminated_backend_loses_and_doubles_nothing(postgres_engine):
    server, admin = servers(postgres_engine, 1)[0], servers(postgres_engine, 1)[0]
    failures: list[str] = []
    killed = 0

    def kill(connection, *_rest) -> None:
        """Terminate the backend of a write before every third upsert."""
        nonlocal killed
        statement = _rest[1]
        if statement.startswith("INSERT INTO frame") and killed < 10:
            killed += 1
            if killed % 3 == 1:
                pid = connection.connection.driver_connection.info.backend_pid
                with admin.connect() as other:
                    other.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})

    event.listen(server, "before_cursor_execute", kill)
    deliver(FrameStore(server), range(BATCHES), failures)
    assert stored(postgres_engine) == everything()
    assert set(failures) == {"database_gone"}
    for one in (server, admin):
        one.dispose()


def test_an_exhausted_pool_is_busy_and_loses_nothing(postgres_engine):
    server = servers(postgres_engine, 1, pool_size=1, max_overflow=0, pool_timeout=0.05)[0]
    frames, failures = FrameStore(server), list[str]()
    frames.announce(LAYOUT)
    with reading(server):  # someone else holds the only connection
        with pytest.raises(TimeoutError) as refused:
            frames.write([batch(0)])
        assert fault(refused.value).code == "database_busy"
    deliver(frames, range(3), failures)
    assert (stored(postgres_engine), failures) == (everything(3), [])
    server.dispose()


def test_a_long_reader_beside_sealing_sees_every_sample_once(postgres_engine):
    frames = FrameStore(postgres_engine)
    for number in range(5):
        frames.write([batch(number)])
    query = text("SELECT count(*) FROM frame")
    with reading(postgres_engine) as connection:
        before = connection.scalar(query)
        sealer = threading.Thread(target=lambda: seal(postgres_engine, 1 << 50, window_frames=10))
        sealer.start()
        sealer.join(20)
        assert not sealer.is_alive()  # a reader stops no sealer
        assert connection.scalar(query) == before == 5 * FRAMES  # and its snapshot stays whole
    assert stored(postgres_engine) == everything(5)
    with reading(postgres_engine) as connection:
        assert connection.scalar(query) == 0
    frames.write([batch(4)])  # late again: sealed frames are compared, not stored twice
    assert stored(postgres_engine) == everything(5)


def test_rows_listed_as_values_are_stored_like_those_of_arrays(postgres_engine, monkeypatch):
    monkeypatch.setattr("app.store.database.bulk.is_spread", lambda _: True)
    statements: list[str] = []
    event.listen(postgres_engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    frames = FrameStore(postgres_engine)
    for number in range(3):
        frames.write([batch(number)])
        frames.write([batch(number)])
    assert stored(postgres_engine) == everything(3)
    inserts = [s for s in statements if s.startswith(("INSERT INTO frame ", "INSERT INTO rollup_backlog"))]
    assert inserts
    assert not any("unnest" in statement for statement in inserts)
    assert {s.count("(%b, %b, %b, %b)") for s in inserts if s.startswith("INSERT INTO frame ")} == {16, 4}  # 20 frames


def test_on_citus_every_statement_of_ingest_is_a_single_task(postgres_engine):
    with reading(postgres_engine) as connection:
        if not has_citus(connection):
            pytest.skip("this PostgreSQL has no Citus")
    distribute(postgres_engine)
    plans: list[str] = []

    def explain(connection, _cursor, statement: str, parameters, *_rest) -> None:
        if statement.startswith("INSERT INTO"):
            rows = connection.connection.driver_connection.execute(f"EXPLAIN {statement}", parameters)
            plans.append("\n".join(row[0] for row in rows))

    event.listen(postgres_engine, "before_cursor_execute", explain)
    FrameStore(postgres_engine).write([batch(0)])
    assert plans
    assert all("Task Count: 1" in plan and "pulled to coordinator" not in plan for plan in plans)
