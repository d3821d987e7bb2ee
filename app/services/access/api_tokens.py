"""Manage API tokens: create, list, revoke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from app.domain.access import SCOPES, Principal, Scope, require_scopes
from app.errors import Forbidden, Invalid, NotFound
from app.models import TimeMs, sent_as
from app.services.access.audit import Actor, record
from app.services.access.secret_text import digest, new_token, shown_prefix
from app.services.access.stores import AccessStores
from app.store.access import ApiToken
from app.store.database import ulid
from collectors.contract import DAY_MS


@dataclass(frozen=True)
class TokenLine:
    """An API token. `prefix`: its first characters. `owner`: the user whose roles limit it; null: of a machine."""

    id: str
    prefix: str
    name: str
    owner: str | None
    scopes: tuple[Scope, ...]
    collector: str | None
    cluster: str | None
    user: str | None
    created_by: str
    created_ms: Annotated[TimeMs, sent_as("created")]
    until_ms: Annotated[TimeMs | None, sent_as("until")]
    used_ms: Annotated[TimeMs | None, sent_as("used")]
    revoked_ms: Annotated[TimeMs | None, sent_as("revoked")]


@dataclass(frozen=True)
class NewToken(TokenLine):
    """A new API token. `token` is shown this once: only its SHA-256 is stored."""

    token: str


@dataclass(frozen=True)
class TokenRequest:
    """What a new token is to allow.

    Attributes
    ----------
    collector, cluster: limit it to the leases of a collector or to the jobs of a cluster; it then has no owner.
    days: how long it is valid; None: until it is revoked.
    """

    name: str
    scopes: Sequence[str]
    collector: str | None = None
    cluster: str | None = None
    days: int | None = None


def create_token(stores: AccessStores, actor: Actor, wanted: TokenRequest) -> NewToken:
    """Create a token. Users who signed in make tokens for themselves, within their roles; an administrator also for
    machines.

    Raises
    ------
    Invalid, Forbidden
    """
    scopes = _scopes(wanted.scopes)
    of_machine = _check_binding(actor.principal, wanted, scopes)
    token, now_ms = new_token(), stores.now_ms()
    made = ApiToken(
        id=ulid(now_ms),
        hash=digest(token),
        prefix=shown_prefix(token),
        name=wanted.name,
        scopes=scopes,
        created_by=actor.principal.name,
        created_ms=now_ms,
        owner=None if of_machine else actor.principal.name,
        collector=wanted.collector,
        cluster=wanted.cluster,
        user=None if of_machine or actor.principal.may("admin") else actor.principal.name,
        until_ms=None if wanted.days is None else now_ms + wanted.days * DAY_MS,
    )
    stores.tokens.create(made)
    record(stores, actor, "token.create", made.id, None, _state(made))
    return NewToken(**vars(_line(made)), token=token)


def list_tokens(stores: AccessStores, principal: Principal, *, everyone: bool) -> list[TokenLine]:
    """Return one's own tokens, newest first; with `everyone` all tokens.

    Raises
    ------
    Forbidden
    """
    if everyone and not principal.may("admin"):
        raise Forbidden("the tokens of others are shown to administrators", "omit `everyone`")
    return [_line(token) for token in stores.tokens.all(None if everyone else principal.name)]


def revoke_token(stores: AccessStores, actor: Actor, id_: str) -> None:
    """Revoke a token of one's own; an administrator revokes any.

    Raises
    ------
    Forbidden
        It is asked for with a token that is not an administrator's.
    NotFound
        There is none, or it is a token of another user.
    """
    token = stores.tokens.get(id_)
    if token is None or not (actor.principal.may("admin") or token.owner == actor.principal.name):
        raise NotFound(f"there is no token {id_[:80]}", "GET /api/v1/tokens lists yours")
    if actor.principal.how == "token" and not actor.principal.may("admin"):  # a lost one would end all others
        raise Forbidden("a token cannot revoke tokens of its owner", "sign in on a page of this server")
    if stores.tokens.revoke(id_, stores.now_ms()):
        record(stores, actor, "token.revoke", id_, _state(token), None)


def _scopes(names: Sequence[str]) -> tuple[Scope, ...]:
    try:
        scopes = require_scopes(names)
    except ValueError as error:
        raise Invalid(str(error), "see the table in docs/users.md", code="bad_scope") from None
    if not scopes:
        raise Invalid("a token needs a scope", f"one or several of {', '.join(SCOPES)}", code="bad_scope")
    return scopes


def _check_binding(principal: Principal, wanted: TokenRequest, scopes: tuple[Scope, ...]) -> bool:
    """Return whether the token is for a machine; raise an error if the principal may not make it."""
    if wanted.collector is not None and scopes != ("readings:write",):
        raise Invalid("a token of a collector has the scope readings:write", "make one token for each purpose")
    if wanted.cluster is not None and scopes != ("jobs:write",):
        raise Invalid("a token of a cluster has the scope jobs:write", "make one token for each purpose")
    of_machine = wanted.collector is not None or wanted.cluster is not None
    if of_machine or not principal.is_user:
        _require_admin(principal)
        return True
    if principal.how == "token":  # else it would outlive its end, and with the scope admin allow what its owner may
        raise Forbidden("a token cannot make tokens of its owner", "sign in on a page of this server")
    missing = [scope for scope in scopes if not SCOPES[scope] & principal.permissions]
    if missing:
        raise Forbidden(f"your roles do not allow {', '.join(missing)}", "choose fewer scopes, or ask an administrator")
    return False


def _require_admin(principal: Principal) -> None:
    if not principal.may("admin"):
        raise Forbidden("only an administrator makes tokens for machines", "make one for yourself, or ask for one")


def _line(token: ApiToken) -> TokenLine:
    return TokenLine(
        token.id,
        token.prefix,
        token.name,
        token.owner,
        token.scopes,
        token.collector,
        token.cluster,
        token.user,
        token.created_by,
        token.created_ms,
        token.until_ms,
        token.used_ms,
        token.revoked_ms,
    )


def _state(token: ApiToken) -> dict[str, Any]:
    names = ("prefix", "name", "owner", "collector", "cluster", "user", "until_ms")
    return {name: getattr(token, name) for name in names} | {"scopes": list(token.scopes)}
