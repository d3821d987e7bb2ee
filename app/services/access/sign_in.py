"""Sign in and out: sessions of browsers."""

from __future__ import annotations

from app.domain.access import Principal
from app.errors import Unauthorized
from app.services.access.audit import Actor, record
from app.services.access.built_in import built_in_principal
from app.services.access.identification import of_session
from app.services.access.passwords import hash_password, is_outdated, is_password
from app.services.access.secret_text import digest, new_secret
from app.services.access.stores import AccessStores
from app.store.access import Session
from collectors.contract import HOUR_MS


def sign_in(stores: AccessStores, name: str, password: str, address: str) -> tuple[str, Principal]:
    """Check user name and password; return the cookie of a new session and its principal.

    Raises
    ------
    Unauthorized
        The same for a wrong name, a wrong password and a disabled user.
    """
    user = stores.users.get(name)
    valid = is_password(user.password if user and user.origin == "local" else None, password)
    if user is None or not valid or user.disabled:
        raise Unauthorized("user name or password is wrong", "check both; an administrator can send a new link")
    if user.password is not None and is_outdated(user.password):
        stores.users.change(name, password=hash_password(password))
    return start_session(stores, name, address)


def sign_in_with_token(stores: AccessStores, token: str, address: str) -> tuple[str, Principal]:
    """Start a session with a built-in token.

    Raises
    ------
    Unauthorized
    """
    if built_in_principal(stores.settings, token) is None:
        raise Unauthorized("this is not a built-in token of the server", "API tokens are for programs: sign in as user")
    return _start(stores, None, digest(token), address)


def start_session(stores: AccessStores, user: str, address: str) -> tuple[str, Principal]:
    """Start a session of a user who was identified; return its cookie and its principal."""
    stores.users.change(user, seen_ms=stores.now_ms())
    return _start(stores, user, None, address)


def sign_out(stores: AccessStores, principal: Principal, address: str) -> None:
    """End the session of a request; without one nothing happens."""
    if principal.session is not None:
        stores.sessions.remove(principal.session)
        record(stores, Actor(principal, address), "session.end", principal.name)


def _start(stores: AccessStores, user: str | None, built_in: str | None, address: str) -> tuple[str, Principal]:
    cookie, now_ms = new_secret(), stores.now_ms()
    until_ms = now_ms + stores.settings.session_hours * HOUR_MS
    stores.sessions.create(Session(digest(cookie), user, now_ms, until_ms, built_in, address))
    principal = of_session(stores, cookie)
    if principal is None:
        raise Unauthorized("this user may not sign in", "an administrator can enable the account")
    record(stores, Actor(principal, address), "session.start", principal.name)
    return cookie, principal
