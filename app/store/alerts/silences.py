"""Store silences."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Engine, insert, select, update

from app.domain.alerts import Silence
from app.models import AlertSilenceRow, table
from app.store.database import reading, writing

SILENCE = table(AlertSilenceRow)


class SilenceStore:
    """All silences. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def ending_after(self, t_ms: int) -> list[Silence]:
        """Return the silences that end after a time, in the order of their starts."""
        query = select(SILENCE).where(SILENCE.c.end_ms > t_ms).order_by(SILENCE.c.start_ms, SILENCE.c.id)
        with reading(self._engine) as connection:
            return [Silence(**row) for row in connection.execute(query).mappings()]

    def get(self, id_: int) -> Silence | None:
        """Return a silence."""
        with reading(self._engine) as connection:
            row = connection.execute(select(SILENCE).where(SILENCE.c.id == id_)).mappings().first()
        return None if row is None else Silence(**row)

    def add(self, silence: Silence) -> Silence:
        """Store a silence and return it with its id."""
        values = asdict(silence)
        del values["id"]
        with writing(self._engine) as connection:
            id_ = connection.execute(insert(SILENCE).values(**values).returning(SILENCE.c.id)).scalar_one()
        return Silence(**values, id=id_)

    def end(self, id_: int, end_ms: int) -> None:
        """Let a silence end at a time."""
        with writing(self._engine) as connection:
            connection.execute(update(SILENCE).where(SILENCE.c.id == id_).values(end_ms=end_ms))
