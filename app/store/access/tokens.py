"""Store API tokens."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, Row, insert, or_, select, update

from app.domain.access import Scope, TokenBinding, require_scopes
from app.models import ApiTokenRow, table
from app.store.database import reading, writing

_TOKEN = table(ApiTokenRow)
_USED_EVERY_MS = 60_000


@dataclass(frozen=True)
class ApiToken:
    """An API token; of the token itself only its first characters are known."""

    id: str
    hash: str
    prefix: str
    name: str
    scopes: tuple[Scope, ...]
    created_by: str
    created_ms: int
    owner: str | None = None
    collector: str | None = None
    cluster: str | None = None
    user: str | None = None
    until_ms: int | None = None
    used_ms: int | None = None
    revoked_ms: int | None = None

    @property
    def binding(self) -> TokenBinding:
        """Return what it is limited to."""
        return TokenBinding(self.collector, self.cluster, self.user)

    def is_valid(self, now_ms: int) -> bool:
        """Return whether it is neither revoked nor expired."""
        return self.revoked_ms is None and (self.until_ms is None or self.until_ms > now_ms)


class ApiTokenStore:
    """All API tokens. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def create(self, token: ApiToken) -> None:
        """Store a token."""
        with writing(self._engine) as connection:
            connection.execute(insert(_TOKEN).values(asdict(token) | {"scopes": list(token.scopes)}))

    def by_hash(self, hash_: str) -> ApiToken | None:
        """Return the token with this hash, also a revoked one."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_TOKEN).where(_TOKEN.c.hash == hash_)).first()
        return None if row is None else _token(row)

    def get(self, id_: str) -> ApiToken | None:
        """Return a token by its id."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_TOKEN).where(_TOKEN.c.id == id_)).first()
        return None if row is None else _token(row)

    def all(self, owner: str | None = None) -> list[ApiToken]:
        """Return the tokens, newest first; with `owner` those of one user."""
        query = select(_TOKEN).order_by(_TOKEN.c.created_ms.desc(), _TOKEN.c.id)
        if owner is not None:
            query = query.where(_TOKEN.c.owner == owner)
        with reading(self._engine) as connection:
            return [_token(row) for row in connection.execute(query)]

    def mark_used(self, token: ApiToken, now_ms: int) -> None:
        """Store the time of use, at most once a minute."""
        if token.used_ms is not None and 0 <= now_ms - token.used_ms < _USED_EVERY_MS:
            return
        with writing(self._engine) as connection:
            connection.execute(update(_TOKEN).where(_TOKEN.c.id == token.id).values(used_ms=now_ms))

    def revoke(self, id_: str, now_ms: int) -> bool:
        """Revoke a token; return whether it was not revoked before."""
        with writing(self._engine) as connection:
            valid = (_TOKEN.c.id == id_, _TOKEN.c.revoked_ms.is_(None))
            return bool(connection.execute(update(_TOKEN).where(*valid).values(revoked_ms=now_ms)).rowcount)

    def revoke_of(self, user: str, now_ms: int) -> None:
        """Revoke every token that belongs to a user or is bound to one."""
        with writing(self._engine) as connection:
            theirs = (or_(_TOKEN.c.owner == user, _TOKEN.c.user == user), _TOKEN.c.revoked_ms.is_(None))
            connection.execute(update(_TOKEN).where(*theirs).values(revoked_ms=now_ms))


def _token(row: Row[Any]) -> ApiToken:
    values = dict(row._mapping)
    return ApiToken(**values | {"scopes": require_scopes(values["scopes"])})
