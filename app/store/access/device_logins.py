"""Store commands that wait for a user to let them in."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import Engine, delete, func, insert, select, update

from app.models import DeviceLoginRow, table
from app.store.database import reading, writing

_LOGIN = table(DeviceLoginRow)


@dataclass(frozen=True)
class DeviceLogin:
    """A command that waits. `user`: who let it in; '': refused; None: undecided."""

    hash: str
    user_code: str
    host: str
    address: str
    until_ms: int
    user: str | None = None


class DeviceLoginStore:
    """All commands that wait. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, login: DeviceLogin, now_ms: int, most: int, most_of_address: int) -> bool:
        """Store a command that waits; expired ones are deleted. Return False if too many wait."""
        with writing(self._engine) as connection:
            connection.execute(delete(_LOGIN).where(_LOGIN.c.until_ms <= now_ms))
            waiting = select(func.count()).select_from(_LOGIN)
            if (connection.scalar(waiting) or 0) >= most:
                return False
            if (connection.scalar(waiting.where(_LOGIN.c.address == login.address)) or 0) >= most_of_address:
                return False
            connection.execute(insert(_LOGIN).values(asdict(login)))
        return True

    def waiting(self, user_code: str, now_ms: int) -> DeviceLogin | None:
        """Return the undecided command with this code."""
        return self._one(_LOGIN.c.user_code == user_code, _LOGIN.c.user.is_(None), _LOGIN.c.until_ms > now_ms)

    def by_hash(self, hash_: str, now_ms: int) -> DeviceLogin | None:
        """Return a command by the SHA-256 of its own code."""
        return self._one(_LOGIN.c.hash == hash_, _LOGIN.c.until_ms > now_ms)

    def decide(self, user_code: str, user: str, now_ms: int) -> bool:
        """Let a command in as a user, or refuse it ('' as user); return whether it was undecided."""
        with writing(self._engine) as connection:
            undecided = (_LOGIN.c.user_code == user_code, _LOGIN.c.user.is_(None), _LOGIN.c.until_ms > now_ms)
            return bool(connection.execute(update(_LOGIN).where(*undecided).values(user=user)).rowcount)

    def take(self, hash_: str) -> bool:
        """Delete a command; return whether it was there: of two requests at a time, one."""
        with writing(self._engine) as connection:
            return bool(connection.execute(delete(_LOGIN).where(_LOGIN.c.hash == hash_)).rowcount)

    def _one(self, *conditions: object) -> DeviceLogin | None:
        with reading(self._engine) as connection:
            row = connection.execute(select(_LOGIN).where(*conditions)).first()  # type: ignore[arg-type]
        return None if row is None else DeviceLogin(**row._mapping)
