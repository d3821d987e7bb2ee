"""Store sessions of browsers."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import Engine, delete, insert, select

from app.models import SessionRow, table
from app.store.database import reading, writing

_SESSION = table(SessionRow)


@dataclass(frozen=True)
class Session:
    """A signed-in browser: of a user, or of a built-in token (by the SHA-256 of it)."""

    hash: str
    user: str | None
    created_ms: int
    until_ms: int
    built_in: str | None = None
    address: str = ""


class SessionStore:
    """All sessions. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, session: Session) -> None:
        """Store a session; expired ones are deleted."""
        with writing(self._engine) as connection:
            connection.execute(delete(_SESSION).where(_SESSION.c.until_ms <= session.created_ms))
            connection.execute(insert(_SESSION).values(asdict(session)))

    def get(self, hash_: str, now_ms: int) -> Session | None:
        """Return a session that has not expired."""
        with reading(self._engine) as connection:
            valid = (_SESSION.c.hash == hash_, _SESSION.c.until_ms > now_ms)
            row = connection.execute(select(_SESSION).where(*valid)).first()
        return None if row is None else Session(**row._mapping)

    def remove(self, hash_: str) -> None:
        """End a session."""
        with writing(self._engine) as connection:
            connection.execute(delete(_SESSION).where(_SESSION.c.hash == hash_))

    def remove_of(self, user: str, but: str | None = None) -> None:
        """End every session of a user, except one."""
        with writing(self._engine) as connection:
            connection.execute(delete(_SESSION).where(_SESSION.c.user == user, _SESSION.c.hash != (but or "")))
