"""Deliveries that hold or cost too much: refused before they are decoded, and only a few at a time."""

import asyncio
from contextlib import suppress

import numpy as np
import orjson
import pyarrow as pa
import pytest

from app.api.devices.ingest_queue import AT_ONCE, MOST_WAITING, MOST_WAITING_BYTES, IngestQueue
from app.errors import BadRequest, TooLarge, Unavailable
from app.services.timeseries import ingest, ingest_size
from app.services.timeseries.ingest_size import (
    MOST_BATCHES,
    MOST_DECODED_BYTES,
    MOST_FRAMES,
    MOST_VALUES,
    require_short_arrow,
)

LAYOUT = {"device": "pdu-a", "interval_s": 1, "series": [{"point": "total", "quantity": "power", "unit": "W"}]}
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}


def stream(*batches: pa.RecordBatch, codec: str | None = None) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=codec)
    with pa.ipc.new_stream(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue())


def numbers(rows: int, columns: int = 1) -> pa.RecordBatch:
    head = {b"wattline": orjson.dumps(LAYOUT)}
    fields = [pa.field("t", pa.int64()), *(pa.field(f"c{n}", pa.float64()) for n in range(columns))]
    schema = pa.schema(fields, metadata=head)
    values = [pa.array(np.zeros(rows)) for _ in range(columns)]
    return pa.record_batch([pa.array(np.arange(rows, dtype=np.int64)), *values], schema=schema)


def declared(rows: int, columns: int = 1, **more) -> tuple[int, int]:
    (message,) = ingest_size._messages(stream(numbers(rows, columns), **more))
    size = ingest_size._size(message)
    return size.rows, size.decoded_bytes


@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
@pytest.mark.parametrize(("rows", "columns"), [(0, 1), (1, 1), (1_000, 3), (50_000, 1)])
def test_the_size_is_what_the_arrays_have(codec, rows, columns):
    """8 octets for each time and each value; uncompressed buffers are padded to 64."""
    found = declared(rows, columns, codec=codec)
    assert found[0] == rows
    assert 8 * rows * (columns + 1) <= found[1] < 8 * rows * (columns + 1) + 64 * (columns + 1)


@pytest.fixture
def never_decoded(monkeypatch):
    monkeypatch.setattr(ingest.pa.ipc, "open_stream", lambda _: pytest.fail("decoded"))
    monkeypatch.setattr(ingest, "_batches", lambda _: pytest.fail("decoded"))


def test_a_compressed_body_is_refused_by_what_it_would_become(never_decoded):
    """74 kB of zstd held 2.4 GB; here 20 columns of zeros are 84 MB, and 0.1 % of it when compressed."""
    body = stream(numbers(500_000, 20), codec="zstd")
    assert len(body) < MOST_DECODED_BYTES // 100
    with pytest.raises(TooLarge, match="64 MB when decompressed"):
        require_short_arrow(body)


def test_rows_of_all_batches_count(never_decoded):
    one = numbers(MOST_FRAMES // 2 + 1)
    require_short_arrow(stream(one))
    with pytest.raises(TooLarge, match="500002 frames, 500000 at most"):
        require_short_arrow(stream(one, one))


def test_columns_without_buffers_count_by_their_rows():
    """A column of type null has any number of rows in no octets."""
    batch = pa.record_batch([pa.nulls(MOST_FRAMES + 1)], names=["t"])
    with pytest.raises(TooLarge, match="frames"):
        require_short_arrow(stream(batch))


@pytest.mark.parametrize(
    "body",
    [
        b"", b"x" * 100, stream(numbers(5))[:200], stream(numbers(5))[:-200],
        stream(pa.record_batch([pa.array(["a", "b"]).dictionary_encode()], names=["t"])),
    ],
    ids=["empty", "text", "cut head", "cut body", "dictionary"],
)  # fmt: skip
def test_what_is_no_plain_stream_is_refused_as_such(body):
    with pytest.raises(BadRequest) as caught:
        ingest.ingest_arrow(None, body)
    assert caught.value.code == "unreadable_body"


def test_any_octet_changed_is_read_or_refused():
    body = bytearray(stream(numbers(3, 2), codec="lz4"))
    for at in range(len(body)):
        for octet in (0, 0xFF, body[at] ^ 0x80):
            changed = bytes(body[:at]) + bytes((octet,)) + bytes(body[at + 1 :])
            with suppress(BadRequest):
                require_short_arrow(changed)


def test_json_is_refused_by_its_number_of_values(client, hall, never_decoded):
    body = b'{"t": [' + b"0," * (MOST_VALUES + 1) + b"0]}"
    answer = client.post("/api/v1/ingest", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_many_values")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"batches": [{}] * (MOST_BATCHES + 1)}, "too_many_batches"),
        ({"batches": [{"t": [0] * (MOST_FRAMES // 2 + 1)}] * 2}, "too_many_frames"),
    ],
)
def test_batches_and_frames_of_json_are_limited(client, hall, body, code):
    answer = client.post("/api/v1/ingest", content=orjson.dumps(body), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (413, code)
    assert "send it in several requests" in answer.json()["hint"]


def test_series_of_a_layout_are_limited(client, hall, start):
    series = [{"point": f"o/{n}", "quantity": "power"} for n in range(10_001)]
    batch = {**LAYOUT, "series": series, "t": [start], "values": []}
    (rejected,) = client.post("/api/v1/ingest", json=batch).json()["rejected"]
    assert (rejected["code"], rejected["detail"]) == ("bad_layout", "10001 series, 10000 at most")


@pytest.mark.anyio
async def test_a_few_run_at_a_time_and_the_others_in_their_order():
    queue, running, most, order = IngestQueue(1_000), 0, 0, []

    async def ingest_one(n: int) -> None:
        nonlocal running, most
        async with queue.place(10), queue.turn():
            running += 1
            most = max(most, running)
            order.append(n)
            await asyncio.sleep(0)
            running -= 1

    await asyncio.gather(*(ingest_one(n) for n in range(MOST_WAITING)))
    assert (most, order) == (AT_ONCE, list(range(MOST_WAITING)))
    assert (queue._requests, queue._bytes, queue._running) == (0, 0, 0)


@pytest.mark.anyio
@pytest.mark.parametrize(("places", "announced"), [(MOST_WAITING, 1), (4, MOST_WAITING_BYTES // 4), (4, None)])
async def test_beyond_the_places_or_their_bytes_a_request_is_to_come_back(places, announced):
    queue = IngestQueue(MOST_WAITING_BYTES // 4)
    held = [queue.place(announced) for _ in range(places)]
    for place in held:
        await place.__aenter__()
    with pytest.raises(Unavailable) as caught:
        async with queue.place(1):
            pass
    assert (caught.value.code, caught.value.retry_after_s) == ("ingest_busy", 2)
    for place in held:
        await place.__aexit__(None, None, None)
    async with queue.place(1):
        pass


@pytest.mark.anyio
async def test_who_waits_too_long_is_to_come_back_and_blocks_no_one(monkeypatch):
    monkeypatch.setattr("app.api.devices.ingest_queue.LONGEST_WAIT_S", 0.02)
    queue = IngestQueue(1_000)
    running = [queue.turn() for _ in range(AT_ONCE)]
    for turn in running:
        await turn.__aenter__()
    with pytest.raises(Unavailable, match=r"no turn within 0\.02 s"):
        async with queue.turn():
            pass
    for turn in running:
        await turn.__aexit__(None, None, None)
    async with queue.turn():
        assert queue._running == 1


def test_a_delivery_beyond_the_limit_is_answered_with_retry_after(client, hall, start):
    queue = client.app.state.ingest_queue
    queue._requests = MOST_WAITING
    batch = {**LAYOUT, "t": [start], "values": [[1.0]]}
    answer = client.post("/api/v1/ingest", json=batch)
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "ingest_busy", "2")
    queue._requests = 0
    assert client.post("/api/v1/ingest", json={**batch, "device": "pdu-a"}).status_code == 200


@pytest.mark.anyio
async def test_what_the_client_gave_up_is_not_ingested(make_client, monkeypatch):
    """The client hangs up while its delivery waits for a turn."""
    monkeypatch.setattr("app.api.devices.ingest.ingest_json", lambda *_, **__: pytest.fail("ingested"))
    app, sent = make_client(ingest_token="secret").app, []
    messages = [{"type": "http.request", "body": b"{}", "more_body": False}, {"type": "http.disconnect"}]

    async def receive():
        return messages.pop(0) if len(messages) > 1 else messages[0]

    async def send(message):
        sent.append(message)

    token = (b"authorization", b"Bearer secret")
    headers = [token, (b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"content-length", b"2")]
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
        "path": "/api/v1/ingest", "raw_path": b"/api/v1/ingest", "query_string": b"", "headers": headers,
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80), "root_path": "",
    }  # fmt: skip
    await app(scope, receive, send)
    assert sent[0]["status"] == 503
    assert app.state.ingest_queue._running == 0
