"""Refuse a body of readings that is too large, before memory is allocated for what is in it.

The sizes are read from the body as it was sent: commas in JSON, and the heads of the messages in Arrow, whose buffers
may be compressed a thousandfold. The format of these heads is Arrow's `Message.fbs`, in FlatBuffers.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa

from app.errors import BadRequest, TooLarge

MOST_VALUES = 4_000_000
MOST_FRAMES = 500_000
MOST_BATCHES = 10_000
MOST_DECODED_BYTES = 16 * MOST_VALUES
_MOST_HEAD_BYTES = 8 * 2**20
_HINT = "send it in several requests"
_RECORD_BATCH = 3
_NOT_COMPRESSED = -1


class ArrowSize(NamedTuple):
    """Rows and bytes after decompression of one message."""

    rows: int
    decoded_bytes: int


def require_short_json(body: bytes) -> None:
    """Check the number of values in a JSON body.

    Raises
    ------
    TooLarge
    """
    if body.count(b",") > MOST_VALUES:
        raise TooLarge(f"the body has more than {MOST_VALUES} values", _HINT, code="too_many_values")


def require_few(frames: int, batches: int = 1) -> None:
    """Check the number of batches and frames of a request; see `require_short_json`."""
    if batches > MOST_BATCHES:
        raise TooLarge(f"the body has {batches} batches, {MOST_BATCHES} at most", _HINT, code="too_many_batches")
    if frames > MOST_FRAMES:
        raise TooLarge(f"the body has {frames} frames, {MOST_FRAMES} at most", _HINT, code="too_many_frames")


def require_short_arrow(body: bytes) -> None:
    """Check the messages of an Arrow stream, of which none is decoded.

    Raises
    ------
    BadRequest
        It is not a stream of record batches.
    TooLarge
    """
    rows = decoded_bytes = batches = 0
    for message in _messages(body):
        size = _size(message)
        rows, decoded_bytes, batches = rows + size.rows, decoded_bytes + size.decoded_bytes, batches + 1
        require_few(rows, batches)
        if decoded_bytes > MOST_DECODED_BYTES:
            most = MOST_DECODED_BYTES // 10**6
            raise TooLarge(f"the body has more than {most} MB when decompressed", _HINT, code="too_many_values")


def require_few_values(frames: int, columns: int) -> None:
    """Check the number of values of a table; see `require_short_json`."""
    if frames * columns > MOST_VALUES:
        detail = f"the body has {frames} frames of {columns} values, {MOST_VALUES} values at most"
        raise TooLarge(detail, _HINT, code="too_many_values")


def _messages(body: bytes) -> Iterator[pa.ipc.Message]:
    """Yield the record batches of a stream."""
    reader = pa.ipc.MessageReader.open_stream(body)
    try:
        for message in reader:
            if message.metadata.size > _MOST_HEAD_BYTES:
                raise TooLarge("the schema of the body is larger than 8 MiB", "send fewer columns")
            if message.type == "record batch":
                yield message
            elif message.type != "schema":
                detail = f"the body has a message of type {message.type}"
                raise BadRequest(detail, "send plain columns: t int64, values float64", code="unreadable_body")
    except (pa.ArrowException, OSError) as error:
        detail = f"the body is not an Arrow stream: {error}"
        raise BadRequest(detail, "write it with pyarrow.ipc.new_stream", code="unreadable_body") from None


def _size(message: pa.ipc.Message) -> ArrowSize:
    """Return rows and decompressed bytes that a record batch declares."""
    head, body = memoryview(message.metadata), memoryview(message.body)
    try:
        root = _FlatTable(head, _number("<I", head, 0))
        if _number("<B", head, root.field(1)) != _RECORD_BATCH:
            raise ValueError("it is no record batch")
        batch = root.table(2)
        rows_at, is_compressed = batch.field(0), bool(batch.field(3))
        rows = _number("<q", head, rows_at) if rows_at else 0
        if rows < 0:
            raise ValueError("a negative number of rows")
        return ArrowSize(rows, sum(_buffer_sizes(batch, body, is_compressed)))
    except (struct.error, ValueError, IndexError) as error:
        detail = f"the body is not an Arrow stream: {error}"
        raise BadRequest(detail, "write it with pyarrow.ipc.new_stream", code="unreadable_body") from None


def _buffer_sizes(batch: _FlatTable, body: memoryview, is_compressed: bool) -> Iterator[int]:
    """Yield the decompressed bytes of each buffer: the first 8 octets of a compressed one say them."""
    for offset, length in batch.pairs(2):
        if not 0 <= offset <= offset + length <= len(body):
            raise ValueError("a buffer reaches beyond the message")
        decoded = _number("<q", body, offset) if is_compressed and length else length
        if decoded < _NOT_COMPRESSED:
            raise ValueError("a buffer of negative size")
        yield length if decoded == _NOT_COMPRESSED else decoded


class _FlatTable:
    """A table of FlatBuffers at a position."""

    def __init__(self, data: memoryview, at: int) -> None:
        self._data, self._at = data, at
        self._vtable = at - _number("<i", data, at)
        self._size = _number("<H", data, self._vtable)

    def field(self, number: int) -> int:
        """Return the position of a field; 0 if the table has none."""
        slot = 4 + 2 * number
        offset = _number("<H", self._data, self._vtable + slot) if slot < self._size else 0
        return self._at + offset if offset else 0

    def table(self, number: int) -> _FlatTable:
        """Return the table that a field refers to."""
        at = self.field(number)
        return _FlatTable(self._data, at + _number("<I", self._data, at))

    def pairs(self, number: int) -> Iterator[tuple[int, int]]:
        """Yield the elements of a vector of pairs of 64-bit numbers."""
        at = self.field(number)
        if not at:
            return
        vector = at + _number("<I", self._data, at)
        for n in range(_number("<I", self._data, vector)):
            yield struct.unpack_from("<qq", self._data, vector + 4 + 16 * n)


def _number(form: str, data: memoryview, at: int) -> int:
    if at < 0:
        raise ValueError("a negative offset")
    return int(struct.unpack_from(form, data, at)[0])
