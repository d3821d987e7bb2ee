"""Let commands in: a code on the terminal, compared and allowed on a page, becomes a token (as RFC 8628 does)."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from app.domain.access import SCOPES, Scope
from app.errors import Conflict, Forbidden, NotFound, TooManyRequests
from app.services.access.api_tokens import NewToken, TokenRequest, create_token
from app.services.access.audit import Actor, record
from app.services.access.identification import of_user
from app.services.access.secret_text import digest, new_secret
from app.services.access.stores import AccessStores
from app.store.access import DeviceLogin
from collectors.contract import MINUTE_MS

MINUTES = 10
TOKEN_DAYS = 90
WANTED: tuple[Scope, ...] = ("read", "jobs:write")
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""RFC 8628, 6.1: without vowels no words, and nothing that looks like another letter. Eight of them: 34 bits."""
_LENGTH = 8
_MOST, _MOST_OF_ADDRESS = 1000, 20


@dataclass(frozen=True)
class NewDeviceLogin:
    """A command that waits. `device_code`: its own secret; `user_code`: what the user compares."""

    device_code: str
    user_code: str
    until_ms: int


def begin_device_login(stores: AccessStores, host: str, address: str) -> NewDeviceLogin:
    """Let a command wait for a user.

    Raises
    ------
    TooManyRequests
    """
    code, now_ms = new_secret(), stores.now_ms()
    letters = "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))
    until_ms = now_ms + MINUTES * MINUTE_MS
    login = DeviceLogin(digest(code), letters, host, address, until_ms)
    if not stores.device_logins.create(login, now_ms, _MOST, _MOST_OF_ADDRESS):
        raise TooManyRequests("too many commands wait to be let in", "wait some minutes", retry_after_s=60)
    return NewDeviceLogin(code, shown(letters), until_ms)


def shown(letters: str) -> str:
    """Return a user code as people read it: BCDF-GHJK."""
    return f"{letters[:4]}-{letters[4:]}"


def waiting_command(stores: AccessStores, actor: Actor, user_code: str) -> DeviceLogin:
    """Return the command that waits under a code.

    Raises
    ------
    Forbidden, NotFound
    """
    if not actor.principal.is_user or actor.principal.how == "token":
        raise Forbidden("only a user who signed in lets a command in", "sign in on a page of this server")
    found = stores.device_logins.waiting(re.sub(r"[^A-Z]", "", user_code.upper()), stores.now_ms())
    if found is None:
        raise NotFound("no command waits under this code", "run `wattline login` again", code="no_such_code")
    return found


def decide_device_login(stores: AccessStores, actor: Actor, user_code: str, *, allow: bool) -> None:
    """Let a command in as the user who asks, or refuse it.

    Raises
    ------
    Forbidden, NotFound
    """
    found = waiting_command(stores, actor, user_code)
    user = actor.principal.name if allow else ""
    if not stores.device_logins.decide(found.user_code, user, stores.now_ms()):
        raise NotFound("no command waits under this code", "run `wattline login` again", code="no_such_code")
    action = "login.allow" if allow else "login.refuse"
    record(stores, actor, action, found.host, None, {"host": found.host, "address": found.address})


def redeem_device_login(stores: AccessStores, device_code: str) -> NewToken:
    """Return the token of a command that was let in; once.

    Raises
    ------
    Conflict
        No user has decided yet.
    Forbidden, NotFound
        It was refused; it expired, or the code is wrong.
    """
    login = stores.device_logins.by_hash(digest(device_code), stores.now_ms())
    if login is not None and login.user is None:
        raise Conflict("no user has let this command in yet", "ask again in some seconds", code="authorization_pending")
    if login is None or not stores.device_logins.take(login.hash):
        raise NotFound("this code expired or was used", "run `wattline login` again", code="expired_token")
    user = of_user(stores.users.get(login.user or ""), "session")
    if user is None:
        raise Forbidden("the user refused", "run `wattline login` again", code="access_denied")
    scopes = [scope for scope in WANTED if SCOPES[scope] & user.permissions]
    wanted = TokenRequest(f"wattline login on {login.host}"[:200], scopes, days=TOKEN_DAYS)
    return create_token(stores, Actor(user, login.address), wanted)
