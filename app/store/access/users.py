"""Store users and their one-time links."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import Engine, Row, delete, func, insert, select, update

from app.domain.access import Role, require_roles
from app.models import OneTimeLinkRow, UserRow, table
from app.store.database import reading, writing

_USER = table(UserRow)
_LINK = table(OneTimeLinkRow)
Origin = Literal["local", "oidc", "proxy"]


@dataclass(frozen=True)
class User:
    """A person. `origin`: who knows the password; `password`: its Argon2id hash, if this server does.

    `subject`: what the identity provider calls this person, whatever the name is.
    """

    name: str
    roles: tuple[Role, ...] = ()
    label: str = ""
    projects: tuple[str, ...] = ()
    origin: Origin = "local"
    password: str | None = None
    disabled: bool = False
    created_ms: int = 0
    seen_ms: int | None = None
    subject: str | None = None


class UserStore:
    """All users. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def get(self, name: str) -> User | None:
        """Return a user, also a disabled one."""
        with reading(self._engine) as connection:
            row = connection.execute(select(_USER).where(_USER.c.name == name)).first()
        return None if row is None else _user(row)

    def by_subject(self, origin: Origin, subject: str) -> User | None:
        """Return the user that others know as `subject`."""
        with reading(self._engine) as connection:
            theirs = (_USER.c.origin == origin, _USER.c.subject == subject)
            row = connection.execute(select(_USER).where(*theirs)).first()
        return None if row is None else _user(row)

    def all(self) -> list[User]:
        """Return every user, by name."""
        with reading(self._engine) as connection:
            return [_user(row) for row in connection.execute(select(_USER).order_by(_USER.c.name))]

    def any_local(self) -> bool:
        """Return whether there is a user with a password of this server, or who is to set one."""
        with reading(self._engine) as connection:
            return connection.scalar(select(_USER.c.name).where(_USER.c.origin == "local").limit(1)) is not None

    def any_admin(self) -> bool:
        """Return whether there is an administrator, also a disabled one."""
        return any("admin" in user.roles for user in self.all())

    def enabled_admins(self) -> int:
        """Return the number of administrators who can sign in."""
        return sum("admin" in user.roles and not user.disabled for user in self.all())

    def create(self, user: User) -> bool:
        """Store a new user; return whether the name was free."""
        with writing(self._engine) as connection:
            if connection.scalar(select(_USER.c.name).where(_USER.c.name == user.name)) is not None:
                return False
            connection.execute(insert(_USER).values(_columns(asdict(user))))
        return True

    def change(self, name: str, **changes: object) -> bool:
        """Change fields of a user by their names in `User`; return whether there is one."""
        with writing(self._engine) as connection:
            return bool(
                connection.execute(update(_USER).where(_USER.c.name == name).values(_columns(changes))).rowcount
            )

    def remove(self, name: str) -> bool:
        """Delete a user and the links of this user; return whether there was one."""
        with writing(self._engine) as connection:
            connection.execute(delete(_LINK).where(_LINK.c.user == name))
            return bool(connection.execute(delete(_USER).where(_USER.c.name == name)).rowcount)

    def put_link(self, hash_: str, user: str, until_ms: int) -> None:
        """Store a one-time link; former links of this user are void."""
        with writing(self._engine) as connection:
            connection.execute(delete(_LINK).where(_LINK.c.user == user))
            connection.execute(insert(_LINK).values(hash=hash_, user=user, until_ms=until_ms))

    def link(self, hash_: str, now_ms: int) -> str | None:
        """Return the user of a link that is valid; '' if the link is for the first administrator."""
        with reading(self._engine) as connection:
            valid = (_LINK.c.hash == hash_, _LINK.c.until_ms > now_ms)
            found = connection.scalar(select(_LINK.c.user).where(*valid))
        return None if found is None else str(found)

    def use_link(self, hash_: str, now_ms: int) -> bool:
        """Delete a valid link; return whether it was there: of two requests at a time, one."""
        with writing(self._engine) as connection:
            valid = (_LINK.c.hash == hash_, _LINK.c.until_ms > now_ms)
            return bool(connection.execute(delete(_LINK).where(*valid)).rowcount)

    def open_links(self, now_ms: int) -> dict[str, int]:
        """Return until when the link of each user is valid [ms]."""
        with reading(self._engine) as connection:
            query = select(_LINK.c.user, func.max(_LINK.c.until_ms)).where(_LINK.c.until_ms > now_ms)
            return {str(user): int(until) for user, until in connection.execute(query.group_by(_LINK.c.user))}


def _columns(values: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _user(row: Row[Any]) -> User:
    values = dict(row._mapping)
    return User(**values | {"roles": require_roles(values["roles"]), "projects": tuple(values["projects"])})
