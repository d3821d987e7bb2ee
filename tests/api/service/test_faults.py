"""A database that fails in the middle: the endpoint says so, nothing is half stored, the collector keeps everything."""

from contextlib import closing, contextmanager
from functools import partial

import httpx
import psycopg
import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError, InternalError, OperationalError, ProgrammingError, TimeoutError

from app.store.database.engine import reading
from app.store.database.faults import Fault, fault
from collectors.contract.frame import Frame, Layout, Quantity, Series
from collectors.delivery import Delivery, ServerClient
from collectors.delivery.outbox import Outbox
from collectors.errors import ServerDown

pytestmark = pytest.mark.anyio
LAYOUT = Layout("pdu-a", "main", 10_000, tuple(Series(f"outlet/{i}", Quantity.POWER) for i in range(1, 9)))
FRAMES = 300
CLOSED = "server closed the connection unexpectedly\nCONTEXT:  while executing command on worker-2:5432"
"""As Citus passes it on, with SQLSTATE XX000."""


@contextmanager
def every_connection(engine, pragma):
    """Run a pragma in every connection that is opened from now on."""

    def prepare(connection, _record):
        connection.execute(f"PRAGMA {pragma}")

    engine.dispose()
    event.listen(engine, "connect", prepare)
    try:
        yield
    finally:
        event.remove(engine, "connect", prepare)
        engine.dispose()


@contextmanager
def disk_full(engine):
    with reading(engine) as connection:
        pages = connection.scalar(text("PRAGMA page_count"))
    with every_connection(engine, f"max_page_count = {pages}"):
        yield


@contextmanager
def read_only(engine):
    with every_connection(engine, "query_only = ON"):
        yield


@contextmanager
def locked(engine):
    """Another program holds the write lock for longer than anybody waits."""
    with (
        every_connection(engine, "busy_timeout = 20"),
        closing(engine.raw_connection()) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


@contextmanager
def connection_lost(engine):
    """The server ends every session in the middle of its transaction, right after it stored frames."""

    def end_session(connection, _cursor, statement, _parameters, _context, _many):
        if statement.startswith("INSERT INTO frame"):
            pid = connection.connection.dbapi_connection.info.backend_pid
            with psycopg.connect(engine.url.set(drivername="postgresql").render_as_string(False)) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))

    event.listen(engine, "after_cursor_execute", end_session)
    try:
        yield
    finally:
        event.remove(engine, "after_cursor_execute", end_session)


@contextmanager
def no_writing(engine):
    """PostgreSQL as it is on a standby, or while its operator has it in read-only mode."""

    def begin(connection):
        connection.exec_driver_sql("SET TRANSACTION READ ONLY")

    event.listen(engine, "begin", begin)
    try:
        yield
    finally:
        event.remove(engine, "begin", begin)


FAULTS = {
    "sqlite": {"database_full": disk_full, "database_read_only": read_only, "database_busy": locked},
    "postgresql": {"database_gone": connection_lost, "database_read_only": no_writing},
}


@pytest.fixture
def faults(engine):
    """By code: what breaks the database while it lasts."""
    return {code: partial(broken, engine) for code, broken in FAULTS[engine.dialect.name].items()}


def stored(stores):
    samples = stores.frames.read(["pdu-a/outlet/8:power"], 0, 1 << 60)["pdu-a/outlet/8:power"]
    return samples.t_ms.tolist()


def body(start):
    times = [start + 10_000 * i for i in range(FRAMES)]
    values = [[100.0 + i] * FRAMES for i in range(8)]
    return {"batches": [{"device": "pdu-a", "layout": LAYOUT.hash, "t": times, "values": values}]}


def test_the_endpoint_says_what_is_wrong_and_stores_nothing(client, hall, faults, start):
    hall.frames.announce(LAYOUT)
    for code, broken in faults.items():
        with broken():
            answer = client.post("/api/v1/ingest", json=body(start - 3_600_000))
        report = answer.json()
        (rejected,) = report.pop("rejected")
        assert report == {"accepted": 0, "duplicates": 0, "conflicts": 0}
        assert (answer.status_code, rejected["code"], rejected["retryable"]) == (503, code, True)
        assert (rejected["index"], rejected["t"]) == (0, start - 3_600_000)
        assert rejected["hint"]
        assert int(answer.headers["Retry-After"]) >= 1
        assert stored(hall) == []
        assert hall.frames.latest() == {}
    assert client.post("/api/v1/ingest", json=body(start - 3_600_000)).json()["accepted"] == FRAMES


def test_what_is_refused_for_good_is_not_to_be_sent_again(client, hall, faults, start):
    hall.frames.announce(LAYOUT)
    stranger = {"device": "pdu-z", "interval_s": 10, "series": [{"point": "total", "quantity": "power", "unit": "W"}]}
    batches = [stranger | {"t": [start], "values": [[1.0]]}, *body(start - 3_600_000)["batches"]]
    for code, broken in faults.items():
        with broken():
            answer = client.post("/api/v1/ingest", json={"batches": batches})
        told = [(row["index"], row["code"], row["retryable"]) for row in answer.json()["rejected"]]
        assert (answer.status_code, told) == (503, [(0, "unknown_device", False), (1, code, True)])
    answer = client.post("/api/v1/ingest", json={"batches": batches})
    assert (answer.status_code, answer.json()["accepted"], len(answer.json()["rejected"])) == (422, FRAMES, 1)


def test_it_may_still_be_read(client, hall, faults):
    for code, broken in faults.items():
        with broken():
            assert client.get("/api/v1/devices").status_code == 200, code


async def test_a_collector_keeps_its_outbox_until_all_is_well(client, hall, faults, start, tmp_path):
    times = [start - 3_600_000 + 10_000 * i for i in range(FRAMES)]
    outbox = Outbox(tmp_path / "outbox.sqlite")
    outbox.put([Frame(LAYOUT, t_ms, tuple(float(v) for v in range(8))) for t_ms in times])
    hall.frames.announce(LAYOUT)
    transport = httpx.ASGITransport(client.app, client=("127.0.0.1", 0))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as way:
        delivery = Delivery(ServerClient(way, "collector-1"), outbox)
        for code, broken in faults.items():
            with broken(), pytest.raises(ServerDown) as down:
                await delivery.flush()
            assert down.value.code == code
            assert (outbox.waiting, outbox.dead.rows()) == (FRAMES, [])
            assert stored(hall) == []
        await delivery.flush()
    assert (outbox.waiting, outbox.dead.rows()) == (0, [])
    assert stored(hall) == times
    outbox.close()


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_streams_stored_before_the_failure_are_duplicates_later(client, hall, start):
    """On PostgreSQL each stream has a transaction of its own: what it stored is there, and delivering again is safe."""
    other = Layout("n1-bmc", "main", 10_000, (Series("total", Quantity.POWER),))
    batches = [
        {"device": "n1-bmc", "layout": other.hash, "t": [start], "values": [[5.0]]},
        *body(start - 3_600_000)["batches"],
    ]
    hall.frames.announce(other)
    hall.frames.announce(LAYOUT)
    client.post("/api/v1/ingest", json={"batches": batches[:1]})
    with connection_lost(hall.engine):
        assert client.post("/api/v1/ingest", json={"batches": batches}).status_code == 503
    answer = client.post("/api/v1/ingest", json={"batches": batches}).json()
    assert (answer["accepted"], answer["duplicates"]) == (FRAMES, 1)


def test_an_error_that_would_come_again_is_none_of_these():
    assert fault(IntegrityError("INSERT", {}, psycopg.errors.UniqueViolation())) is None
    assert fault(ProgrammingError("SELECT", {}, psycopg.errors.UndefinedTable())) is None
    assert fault(ValueError()) is None
    assert fault(InternalError("SELECT", {}, psycopg.errors.InternalError_("cache lookup failed"))) is None


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OperationalError("INSERT", {}, psycopg.errors.DiskFull()), "database_full"),
        (OperationalError("INSERT", {}, psycopg.errors.DeadlockDetected()), "database_busy"),
        (OperationalError("SELECT", {}, psycopg.errors.AdminShutdown()), "database_gone"),
        (TimeoutError(), "database_busy"),
        (InternalError("SELECT", {}, psycopg.errors.InternalError_(CLOSED)), "database_gone"),
    ],
)
def test_errors_that_pass(error, code):
    assert isinstance(found := fault(error), Fault)
    assert found.code == code
