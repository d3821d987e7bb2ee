"""Frames and notes that are not delivered: rejected by the server, or held because the collector's clock was ahead.

Rejected ones take at most a tenth of the outbox, and of them the newest are kept. Held ones are never dropped: they
leave only when the operator replays or drops them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from collectors.delivery.outbox_file import OutboxFile

HELD = "clock_ahead"
"""Code of frames that were read while the collector's clock was ahead of the server's."""
_SHARE = 10
_TRIM_EVERY = 1000
_FRAME = "layout, t_ms, vals, offset_ms, fence"


@dataclass(frozen=True)
class DeadLetterGroup:
    """Dead letters of one code and device; '' and None where a note has neither.

    `first_ms`, `last_ms`: their times. `offset_ms`: clock of the collector minus clock of the server, the largest
    measured. `detail`: of the newest.
    """

    code: str
    device: str
    kind: str
    count: int
    first_ms: int | None
    last_ms: int | None
    offset_ms: int | None
    detail: str


class DeadLetters:
    """The dead letters of an outbox."""

    def __init__(self, file: OutboxFile, max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes // _SHARE
        self._until_trim = 0

    def reject(self, ids: Sequence[int], at_ms: int, code: str, detail: str) -> None:
        """Move frames that the server rejects for good out of the queue."""
        with self._file.transaction():
            self._move(ids, at_ms, code, detail)
            self._trim(len(ids))

    def reject_note(self, id_: int, at_ms: int, code: str, detail: str) -> None:
        """Move a note that the server rejects for good out of the queue."""
        into = "INSERT INTO dead_letter (at_ms, code, detail, kind, body)"
        copy = f"{into} SELECT ?, ?, ?, kind, body FROM note WHERE id = ?"
        with self._file.transaction():
            self._file.write(copy, (at_ms, code, detail, id_))
            self._file.write("DELETE FROM note WHERE id = ?", (id_,))
            self._trim(1)

    def put_held(self, rows: Sequence[Sequence[object]], at_ms: int, offset_ms: int) -> None:
        """Store frames (layout, time, values, offset, fence) as held, within a transaction of the outbox."""
        insert = (
            f"INSERT INTO dead_letter (at_ms, code, detail, kind, {_FRAME}) VALUES (?, ?, ?, 'frame', ?, ?, ?, ?, ?)"
        )
        self._file.write_many(insert, [(at_ms, HELD, held_because(offset_ms), *row) for row in rows])

    def hold(self, first_id: int, last_id: int, after_ms: int, at_ms: int, offset_ms: int) -> int:
        """Hold the waiting frames of a range whose time is after `after_ms`; return how many.

        Parameters
        ----------
        offset_ms: the measured offset, clock of the collector minus clock of the server.
        """
        query = "SELECT id FROM frame WHERE id BETWEEN ? AND ? AND t_ms > ?"
        with self._file.transaction():
            ids = [id_ for (id_,) in self._file.read(query, (first_id, last_id, after_ms))]
            self._file.write_many("UPDATE frame SET offset_ms = ? WHERE id = ?", ((offset_ms, id_) for id_ in ids))
            self._move(ids, at_ms, HELD, held_because(offset_ms))
        return len(ids)

    def groups(self) -> list[DeadLetterGroup]:
        """Return all dead letters by code and device."""
        device = (
            "coalesce(json_extract(CAST(l.wire AS TEXT), '$.device'), json_extract(CAST(d.body AS TEXT), '$.device'))"
        )
        time = "coalesce(d.t_ms, json_extract(CAST(d.body AS TEXT), '$.t'))"
        query = (
            f"SELECT d.code, coalesce({device}, ''), d.kind, count(*), min({time}), max({time}), max(d.offset_ms), "
            "max(d.detail) FROM dead_letter d LEFT JOIN layout l ON l.hash = d.layout "
            f"GROUP BY d.code, {device}, d.kind ORDER BY d.code, 2, d.kind"
        )
        return [DeadLetterGroup(*row) for row in self._file.read(query)]

    def rows(self) -> list[tuple[str, str, int | None]]:
        """Return code, detail and time of each dead letter, oldest first."""
        return [tuple(row) for row in self._file.read("SELECT code, detail, t_ms FROM dead_letter ORDER BY id")]

    def replay(self, code: str = "", device: str = "", *, shift: bool = False) -> int:
        """Put dead letters of a code and device ('' is any) back into the queue; return how many.

        Parameters
        ----------
        shift: move the time of held frames back by their offset, so that they have the server's time.
        """
        time = "t_ms - coalesce(offset_ms, 0)" if shift else "t_ms"
        with self._file.transaction():
            ids = self._chosen(code, device)
            one = [(id_,) for id_ in ids]
            copy = f"INSERT INTO frame ({_FRAME}) SELECT layout, {time}, vals, 0, fence FROM dead_letter "
            self._file.write_many(f"{copy} WHERE id = ? AND kind = 'frame'", one)
            notes = "INSERT INTO note (kind, body) SELECT kind, body FROM dead_letter WHERE id = ? AND kind <> 'frame'"
            self._file.write_many(notes, one)
            self._file.write_many("DELETE FROM dead_letter WHERE id = ?", one)
        return len(ids)

    def drop(self, code: str = "", device: str = "") -> int:
        """Delete dead letters of a code and device ('' is any); return how many."""
        with self._file.transaction():
            ids = self._chosen(code, device)
            self._file.write_many("DELETE FROM dead_letter WHERE id = ?", [(id_,) for id_ in ids])
        return len(ids)

    def _chosen(self, code: str, device: str) -> list[int]:
        query = (
            "SELECT d.id, l.wire, d.body FROM dead_letter d LEFT JOIN layout l ON l.hash = d.layout "
            "WHERE ? IN ('', d.code) ORDER BY d.id"
        )
        rows = self._file.read(query, (code,))
        return [id_ for id_, wire, body in rows if not device or orjson.loads(wire or body).get("device") == device]

    def _move(self, ids: Sequence[int], at_ms: int, code: str, detail: str) -> None:
        copy = (
            "INSERT INTO dead_letter (at_ms, code, detail, kind, layout, t_ms, vals, offset_ms, fence) "
            "SELECT ?, ?, ?, 'frame', layout, t_ms, vals, offset_ms, fence FROM frame WHERE id = ?"
        )
        self._file.write_many(copy, ((at_ms, code, detail, id_) for id_ in ids))
        self._file.write_many("DELETE FROM frame WHERE id = ?", ((id_,) for id_ in ids))

    def _trim(self, added: int) -> None:
        """Delete the oldest rejected ones beyond the size that is kept; looked at every so many."""
        self._until_trim -= added
        if self._until_trim > 0:
            return
        self._until_trim = _TRIM_EVERY
        sizes = "200 + coalesce(length(vals), 0) + coalesce(length(body), 0)"
        newest = f"SELECT id, sum({sizes}) OVER (ORDER BY id DESC) AS bytes FROM dead_letter WHERE code <> ?"
        oldest = f"SELECT id FROM ({newest}) WHERE bytes > ?"
        self._file.write(f"DELETE FROM dead_letter WHERE id IN ({oldest})", (HELD, self._max_bytes))


def held_because(offset_ms: int) -> str:
    """Return why a frame is held."""
    return f"read while the collector's clock was {offset_ms / 1000:.1f} s ahead of the server's"
