"""Manage users: create, change, invite, delete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from app.domain.access import Role, require_roles
from app.errors import Conflict, Forbidden, Invalid, NotFound, Unauthorized
from app.models import TimeMs, sent_as
from app.services.access.audit import Actor, record
from app.services.access.links import invite, require_name
from app.services.access.passwords import hash_password, is_password
from app.services.access.stores import AccessStores
from app.store.access import Origin, User


@dataclass(frozen=True)
class UserLine:
    """A user. `origin`: who knows the password; `link_until`: until when a one-time link is valid."""

    name: str
    label: str
    roles: tuple[Role, ...]
    projects: tuple[str, ...]
    origin: Origin
    disabled: bool
    has_password: bool
    created_ms: Annotated[TimeMs, sent_as("created")]
    seen_ms: Annotated[TimeMs | None, sent_as("seen")]
    link_until_ms: Annotated[TimeMs | None, sent_as("link_until")]


@dataclass(frozen=True)
class OneTimeLink:
    """A link with which a user sets a password, shown once. `path` is to be added to the address of the server."""

    user: str
    path: str
    until_ms: Annotated[TimeMs, sent_as("until")]


def list_users(stores: AccessStores) -> list[UserLine]:
    """Return every user, by name."""
    links = stores.users.open_links(stores.now_ms())
    return [_line(user, links.get(user.name)) for user in stores.users.all()]


def create_user(stores: AccessStores, actor: Actor, user: User) -> OneTimeLink:
    """Create a user and return the link with which this person sets a password.

    Raises
    ------
    Invalid, Conflict
    """
    require_name(user.name)
    if not stores.users.create(replace(user, created_ms=stores.now_ms())):
        raise Conflict(f"there is a user {user.name!r}", "change it, or choose another name", code="user_exists")
    record(stores, actor, "user.create", user.name, None, user_state(user))
    return new_link(stores, actor, user.name)


def change_user(stores: AccessStores, actor: Actor, name: str, **changes: Any) -> UserLine:  # noqa: ANN401 (fields of User)
    """Change label, roles, projects or whether a user is disabled; a disabled user is signed out.

    Raises
    ------
    NotFound, Conflict
    """
    before = one_user(stores, name)
    after = replace(before, **changes)
    _keep_an_admin(stores, before, after)
    stores.users.change(name, **changes)
    if after.disabled:
        stores.sessions.remove_of(name)
    record(stores, actor, "user.change", name, user_state(before), user_state(after))
    return _line(after, stores.users.open_links(stores.now_ms()).get(name))


def remove_user(stores: AccessStores, actor: Actor, name: str) -> None:
    """Delete a user, sign this user out, and revoke the tokens. Jobs keep the name.

    Raises
    ------
    NotFound, Conflict
    """
    before = one_user(stores, name)
    _keep_an_admin(stores, before, replace(before, disabled=True))
    stores.sessions.remove_of(name)
    stores.tokens.revoke_of(name, stores.now_ms())
    stores.users.remove(name)
    record(stores, actor, "user.delete", name, user_state(before), None)


def new_link(stores: AccessStores, actor: Actor, name: str) -> OneTimeLink:
    """Return a link with which a user sets a new password; former links are void, the present password stays valid.

    Raises
    ------
    NotFound, Conflict
    """
    user = one_user(stores, name)
    if user.origin != "local":
        raise Conflict(f"{name!r} signs in by {user.origin}", "the password is kept there", code="not_local")
    code, until_ms = invite(stores, name)
    record(stores, actor, "user.link", name)
    return OneTimeLink(name, link_path(code), until_ms)


def link_path(code: str) -> str:
    """Return the path of a one-time link. The code is in the fragment: no server and no log sees it."""
    return f"/welcome#{code}"


def change_password(stores: AccessStores, actor: Actor, old: str, new: str) -> None:
    """Set one's own password; the other sessions end.

    Raises
    ------
    Unauthorized, Invalid, Forbidden
    """
    name = actor.principal.name
    user = stores.users.get(name) if actor.principal.how == "session" else None
    if user is None or user.origin != "local":
        raise Forbidden("no password of this server belongs to you", "sign in with a local account")
    if not is_password(user.password, old):
        raise Unauthorized("the present password is wrong", "an administrator can send a link for a new one")
    stores.users.change(name, password=hash_password(new))
    stores.sessions.remove_of(name, but=actor.principal.session)
    record(stores, actor, "user.password", name, None, {"by": "the user"})


def user_line(stores: AccessStores, name: str) -> UserLine:
    """Return a user as lists show it.

    Raises
    ------
    NotFound
    """
    return _line(one_user(stores, name), stores.users.open_links(stores.now_ms()).get(name))


def one_user(stores: AccessStores, name: str) -> User:
    """Return a user.

    Raises
    ------
    NotFound
    """
    user = stores.users.get(name)
    if user is None:
        raise NotFound(f"there is no user {name[:80]!r}", "GET /api/v1/users lists them")
    return user


def parse_roles(names: Sequence[str]) -> tuple[Role, ...]:
    """Return the roles with these names.

    Raises
    ------
    Invalid
    """
    try:
        return require_roles(names)
    except ValueError as error:
        raise Invalid(str(error), "see the table in docs/users.md", code="bad_role") from None


def _keep_an_admin(stores: AccessStores, before: User, after: User) -> None:
    was_admin = "admin" in before.roles and not before.disabled
    is_admin = "admin" in after.roles and not after.disabled
    if was_admin and not is_admin and stores.users.enabled_admins() == 1:
        raise Conflict(
            f"{before.name!r} is the only administrator", "give the role admin to another user first", code="last_admin"
        )


def _line(user: User, link_until_ms: int | None) -> UserLine:
    return UserLine(
        user.name,
        user.label,
        user.roles,
        user.projects,
        user.origin,
        user.disabled,
        user.password is not None,
        user.created_ms,
        user.seen_ms,
        link_until_ms,
    )


def user_state(user: User) -> dict[str, Any]:
    """Return a user as the audit log shows one."""
    return {
        "label": user.label,
        "roles": list(user.roles),
        "projects": list(user.projects),
        "disabled": user.disabled,
        "origin": user.origin,
    }
