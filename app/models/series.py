"""The time-series tables. Big tables have no foreign keys, and every key begins with the stream."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow

_GIVEN = {"autoincrement": False}


class StreamRow(TableRow, table=True):
    """A group of series of a device that are read together. Its row lock serializes changes of the stream."""

    __tablename__: ClassVar[str] = "stream"
    __table_args__ = (UniqueConstraint("device", "group_name"),)
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    device: str
    group_name: str


class LayoutRow(TableRow, table=True):
    """The meaning of the values in frames of a stream; `content` is the JSON form of the layout."""

    __tablename__: ClassVar[str] = "layout"
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    hash: str = Field(unique=True)
    stream_id: int = Field(sa_type=IDENTITY, index=True)
    interval_ms: int = Field(sa_type=MILLISECONDS)
    max_gap_ms: int = Field(sa_type=MILLISECONDS)
    content: dict[str, Any] = Field(sa_type=DOCUMENT)


class FrameRow(TableRow, table=True):
    """A poll that is not sealed yet: packed little-endian float64, NaN = missing.

    The layout is part of the key: values that a second layout adds at the same time are a row of their own,
    and the value of a (stream, time, series) is in one row only.
    """

    __tablename__: ClassVar[str] = "frame"
    stream_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    t_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    layout_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    payload: bytes


class ChunkRow(TableRow, table=True):
    """A sealed, time-aligned window of one stream in one layout: its `count` time stamps, compressed."""

    __tablename__: ClassVar[str] = "chunk"
    stream_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    start_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    layout_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    count: int
    first_ms: int = Field(sa_type=MILLISECONDS)
    last_ms: int = Field(sa_type=MILLISECONDS)
    times: bytes


class ChunkColumnRow(TableRow, table=True):
    """One series of a chunk: its `chunk.count` values, compressed, and totals that make long ranges cheap to read.

    `integral` [v·s] and `covered_ms` follow the curve rule between the first and the last value that is not missing;
    the reader adds the time between two chunks. A column without any value has no row.
    """

    __tablename__: ClassVar[str] = "chunk_column"
    stream_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    start_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    layout_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    column_index: int = Field(primary_key=True, sa_column_kwargs=_GIVEN)
    payload: bytes
    count: int
    first_t_ms: int = Field(sa_type=MILLISECONDS)
    first_v: float
    last_t_ms: int = Field(sa_type=MILLISECONDS)
    last_v: float
    min_v: float
    max_v: float
    integral: float
    covered_ms: int = Field(sa_type=MILLISECONDS)


class LatestFrameRow(TableRow, table=True):
    """The latest frame of each stream, updated in the transaction that stores it.

    `newest_ms`: the newest time that the stream ever had, if it is later: after the clock was set back the latest frame
    is the one of now. None: that of the frame.
    """

    __tablename__: ClassVar[str] = "latest_frame"
    stream_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    layout_id: int = Field(sa_type=MILLISECONDS)
    t_ms: int = Field(sa_type=MILLISECONDS)
    payload: bytes
    stored_ms: int = Field(sa_type=MILLISECONDS)
    newest_ms: int | None = Field(default=None, sa_type=MILLISECONDS)


class RollupDaySeriesRow(TableRow, table=True):
    """A day of one subject in steps of a minute (an hour once the minutes are past retention), compressed.

    `subject` is `kind/key:quantity`, `kind` being node, pdu, line, rack, room or site. `integrals` [v·s] and `covered`
    [ms] are of every step of the day, `lows` and `highs` NaN where nothing is covered.
    """

    __tablename__: ClassVar[str] = "rollup_day_series"
    __table_args__ = (Index("ix_rollup_day_series_day_ms_subject", "day_ms", "subject"),)
    subject: str = Field(primary_key=True)
    day_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    step_ms: int = Field(sa_type=MILLISECONDS)
    covered_ms: int = Field(sa_type=MILLISECONDS)
    integrals: bytes
    covered: bytes
    lows: bytes
    highs: bytes


class RollupDaySummaryRow(TableRow, table=True):
    """Totals of a day of one subject, computed from its minutes and kept when those are deleted.

    `max_at_ms` is the start of the minute of the maximum. `levels`: (int16 level, uint32 covered ms) of every
    level among the means of the minutes, see `app.domain.rollups.quantile_sketch`.
    """

    __tablename__: ClassVar[str] = "rollup_day_summary"
    __table_args__: ClassVar[dict[str, Any]] = {"sqlite_with_rowid": False}
    subject: str = Field(primary_key=True)
    day_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    integral: float
    covered_ms: int = Field(sa_type=MILLISECONDS)
    min_v: float
    max_v: float
    max_at_ms: int = Field(sa_type=MILLISECONDS)
    levels: bytes


class RollupDayRevisionRow(TableRow, table=True):
    """A number that differs after each change of the rollups of a day; days from before it was kept have none."""

    __tablename__: ClassVar[str] = "rollup_day_revision"
    day_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    revision: int = Field(sa_type=MILLISECONDS)


class RollupDaySumRow(TableRow, table=True):
    """The sum of the minute means of several subjects (the racks of a row, the PDUs of a feed) on a past day.

    `subject` is `row/ROOM/ROW:power` or `feed/ROOM/FEED:power`. `basis`: a digest of the members and of the revisions
    that it was summed with. `times` [ms], `payload` and `flags` are the points of the curve, `max_v` their maximum.
    """

    __tablename__: ClassVar[str] = "rollup_day_sum"
    subject: str = Field(primary_key=True)
    day_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    basis: str
    max_v: float | None
    times: bytes
    payload: bytes
    flags: bytes


class RollupBacklogRow(TableRow, table=True):
    """Readings of a stream in [from, to) of a day that arrived or changed since its minutes were computed.

    Written in the transaction that stores the readings; `token` differs each time.
    """

    __tablename__: ClassVar[str] = "rollup_backlog"
    stream_id: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    day_ms: int = Field(primary_key=True, sa_type=MILLISECONDS, sa_column_kwargs=_GIVEN)
    from_ms: int = Field(sa_type=MILLISECONDS)
    to_ms: int = Field(sa_type=MILLISECONDS)
    token: int = Field(sa_type=MILLISECONDS)


class TaskLockRow(TableRow, table=True):
    """The lock of a task that only one process at a time may run: its holder and its expiry."""

    __tablename__: ClassVar[str] = "task_lock"
    task: str = Field(primary_key=True)
    holder: str
    until_ms: int = Field(sa_type=MILLISECONDS)


class RetentionWatermarkRow(TableRow, table=True):
    """The time before which readings of a class of quantities may have been deleted."""

    __tablename__: ClassVar[str] = "retention_watermark"
    kind: str = Field(primary_key=True)
    before_ms: int = Field(sa_type=MILLISECONDS)
