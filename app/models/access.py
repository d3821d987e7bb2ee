"""Users, their sessions and one-time links, API tokens, and the audit log."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlmodel import Field

from app.models.base import DOCUMENT, IDENTITY, MILLISECONDS, TableRow


class UserRow(TableRow, table=True):
    """A person. `name` is the user name in jobs too.

    `password`: Argon2id hash; None for a user of single sign-on, or until the one-time link was used.
    `projects`: projects whose jobs a project lead sees in full. `subject`: what the identity provider calls the person.
    """

    __tablename__: ClassVar[str] = "user_account"
    name: str = Field(primary_key=True)
    label: str = ""
    roles: list[str] = Field(sa_type=DOCUMENT)
    projects: list[str] = Field(sa_type=DOCUMENT)
    origin: str
    password: str | None = None
    disabled: bool = False
    created_ms: int = Field(sa_type=MILLISECONDS)
    seen_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    subject: str | None = Field(default=None, index=True)


class OneTimeLinkRow(TableRow, table=True):
    """A link with which a person sets a password once. `hash`: SHA-256 of its code. An empty user chooses a name."""

    __tablename__: ClassVar[str] = "one_time_link"
    hash: str = Field(primary_key=True)
    user: str = ""
    until_ms: int = Field(sa_type=MILLISECONDS)


class SessionRow(TableRow, table=True):
    """A signed-in browser. `hash`: SHA-256 of the cookie; `built_in`: of the built-in token that it signed in with."""

    __tablename__: ClassVar[str] = "session"
    hash: str = Field(primary_key=True)
    user: str | None = Field(default=None, index=True)
    built_in: str | None = None
    created_ms: int = Field(sa_type=MILLISECONDS)
    until_ms: int = Field(sa_type=MILLISECONDS, index=True)
    address: str = ""


class ApiTokenRow(TableRow, table=True):
    """An API token. `hash`: SHA-256 of it; `prefix`: its first characters, to recognize it.

    `owner`: the user whose roles limit it; None for a token of a collector or a cluster.
    """

    __tablename__: ClassVar[str] = "api_token"
    id: str = Field(primary_key=True)
    hash: str = Field(unique=True)
    prefix: str
    name: str
    owner: str | None = Field(default=None, index=True)
    scopes: list[str] = Field(sa_type=DOCUMENT)
    collector: str | None = None
    cluster: str | None = None
    user: str | None = None
    created_by: str
    created_ms: int = Field(sa_type=MILLISECONDS)
    until_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    used_ms: int | None = Field(default=None, sa_type=MILLISECONDS)
    revoked_ms: int | None = Field(default=None, sa_type=MILLISECONDS)


class DeviceLoginRow(TableRow, table=True):
    """A command that waits for a user to let it in. `hash`: SHA-256 of its code; `user_code`: what the user compares.

    `user`: who let it in; '' who refused it. `host`: name of the machine, as the command states it.
    """

    __tablename__: ClassVar[str] = "device_login"
    hash: str = Field(primary_key=True)
    user_code: str = Field(unique=True)
    host: str
    address: str
    until_ms: int = Field(sa_type=MILLISECONDS, index=True)
    user: str | None = None


class AuditRow(TableRow, table=True):
    """An entry of the audit log: who changed what, from where, and its state before and after. Never changed."""

    __tablename__: ClassVar[str] = "audit"
    id: int | None = Field(default=None, primary_key=True, sa_type=IDENTITY)
    t_ms: int = Field(sa_type=MILLISECONDS, index=True)
    who: str = Field(index=True)
    how: str
    address: str
    action: str = Field(index=True)
    subject: str
    before: dict[str, Any] | None = Field(default=None, sa_type=DOCUMENT)
    after: dict[str, Any] | None = Field(default=None, sa_type=DOCUMENT)
