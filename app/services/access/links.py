"""One-time links: the first administrator, invitations and new passwords. There is no default password."""

from __future__ import annotations

import re

from app.domain.access import Principal
from app.errors import Conflict, Invalid, NotFound
from app.services.access.audit import Actor, record
from app.services.access.passwords import hash_password
from app.services.access.secret_text import digest, new_secret
from app.services.access.stores import AccessStores
from app.store.access import User
from collectors.contract import HOUR_MS

FIRST_HOURS = 24
INVITED_HOURS = 72
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}")
"""User names as Slurm and LDAP have them."""


def first_link(stores: AccessStores) -> tuple[str, int] | None:
    """Return the code for the first administrator and until when it is valid [ms]; None once there is one."""
    if stores.users.any_admin():
        return None
    return _new(stores, "", FIRST_HOURS)


def invite(stores: AccessStores, user: str) -> tuple[str, int]:
    """Return the code of a link with which a user sets a password, and until when it is valid [ms]."""
    return _new(stores, user, INVITED_HOURS)


def link_user(stores: AccessStores, code: str) -> str:
    """Return the user of a link; '' if it is for the first administrator.

    Raises
    ------
    NotFound
    """
    user = stores.users.link(digest(code), stores.now_ms())
    if user is None or (user == "" and stores.users.any_admin()):
        raise NotFound(
            "this link was used before or has expired",
            "ask an administrator for a new one; `wattline users link NAME` on the server prints one",
            code="link_used",
        )
    return user


def accept_link(stores: AccessStores, code: str, name: str, password: str, address: str) -> str:
    """Set the password of the link's user, or create the first administrator; return the user name.

    Raises
    ------
    NotFound, Invalid, Conflict
    """
    user = link_user(stores, code)
    if user and name not in ("", user):
        raise Invalid(f"this link is for {user!r}", "omit the user name", code="bad_name")
    hashed = hash_password(password)
    if not user:
        require_name(name)
    if not stores.users.use_link(digest(code), stores.now_ms()):
        return link_user(stores, code)
    if user:
        stores.users.change(user, password=hashed)
        stores.sessions.remove_of(user)
    elif not stores.users.create(User(name, ("admin",), password=hashed, created_ms=stores.now_ms())):
        raise Conflict(f"there is a user {name!r}", "choose another name", code="user_exists")
    record(
        stores,
        Actor(Principal(name=user or name), address),
        "user.password",
        user or name,
        None,
        {"by": "one-time link"},
    )
    return user or name


def require_name(name: str) -> None:
    """Raise an error unless a text can be a user name.

    Raises
    ------
    Invalid
    """
    if not NAME.fullmatch(name):
        raise Invalid(
            f"{name[:80]!r} is not a user name",
            "letters, digits and . _ @ - (at most 64), as in Slurm or LDAP",
            code="bad_name",
        )


def _new(stores: AccessStores, user: str, hours: int) -> tuple[str, int]:
    code, until_ms = new_secret(), stores.now_ms() + hours * HOUR_MS
    stores.users.put_link(digest(code), user, until_ms)
    return code, until_ms
