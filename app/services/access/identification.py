"""Find the principal of a request from its credentials."""

from __future__ import annotations

from dataclasses import dataclass, replace

from app.domain.access import (
    ANYBODY,
    Principal,
    SignInMethod,
    permissions_of_roles,
    permissions_of_scopes,
)
from app.services.access.built_in import built_in_by_digest, built_in_principal
from app.services.access.external_users import ExternalUser, external_user
from app.services.access.secret_text import digest
from app.services.access.stores import AccessStores
from app.store.access import ApiToken, User


@dataclass(frozen=True)
class Credentials:
    """What a request brings: a session cookie, a token, the user name that a trusted proxy states."""

    cookie: str | None = None
    token: str | None = None
    stated: ExternalUser | None = None
    address: str = ""

    @property
    def need_database(self) -> bool:
        """Return whether the database is needed to know whose they are."""
        return bool(self.cookie or self.token or self.stated)


def identify(stores: AccessStores, given: Credentials) -> Principal:
    """Return the principal: by session, then by token, then as a proxy states; ANYBODY if none is valid.

    Raises
    ------
    Forbidden
        A proxy states a user who may not sign in.
    """
    found = of_session(stores, given.cookie) if given.cookie else None
    if found is None and given.token:
        found = of_token(stores, given.token)
    if found is None and given.stated is not None:
        found = of_user(external_user(stores, given.stated, given.address), "proxy")
    return found or ANYBODY


def of_session(stores: AccessStores, cookie: str) -> Principal | None:
    """Return who signed in with this cookie; None if the session ended or its user may not sign in any more."""
    session = stores.sessions.get(digest(cookie), stores.now_ms())
    if session is None:
        return None
    if session.built_in is not None:
        found = built_in_by_digest(stores.settings, session.built_in)
    else:
        found = of_user(stores.users.get(session.user or ""), "session")
    return None if found is None else replace(found, session=session.hash)


def of_token(stores: AccessStores, token: str) -> Principal | None:
    """Return whose token this is; None if it is unknown, revoked or expired, or its owner is disabled."""
    if (built_in := built_in_principal(stores.settings, token)) is not None:
        return built_in
    now_ms = stores.now_ms()
    known = stores.tokens.by_hash(digest(token))
    if known is None or not known.is_valid(now_ms):
        return None
    found = _of_api_token(stores, known)
    if found is not None:
        stores.tokens.mark_used(known, now_ms)
    return found


def of_user(user: User | None, how: SignInMethod) -> Principal | None:
    """Return a user as principal; None for none or a disabled one."""
    if user is None or user.disabled:
        return None
    return Principal(
        name=user.name,
        label=user.label or user.name,
        how=how,
        is_user=True,
        roles=user.roles,
        permissions=permissions_of_roles(user.roles),
        projects=frozenset(user.projects),
    )


def _of_api_token(stores: AccessStores, token: ApiToken) -> Principal | None:
    scopes = permissions_of_scopes(token.scopes)
    if token.owner is None:
        label = f"token {token.name}"
        return Principal(name=label, label=label, how="token", permissions=scopes, binding=token.binding)
    owner = of_user(stores.users.get(token.owner), "token")
    if owner is None:
        return None
    return replace(owner, permissions=owner.permissions & scopes, binding=token.binding)
