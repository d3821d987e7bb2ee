"""Finish signing in by the identity provider: from the code in the address to a session."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from app.domain.access import Principal
from app.services.access import AccessStores, ExternalUser, external_user, start_session
from app.services.single_sign_on.attempt import Attempt
from app.services.single_sign_on.provider import IdentityProvider, failed


def finish_sign_on(
    stores: AccessStores,
    provider: IdentityProvider,
    attempt: Attempt | None,
    query: Mapping[str, str],
    back: str,
    address: str,
) -> tuple[str, Principal]:
    """Return the cookie of a new session and its principal.

    Raises
    ------
    Unauthorized
        The answer does not belong to this browser's attempt, or the ID token is not valid.
    Forbidden
        No group of the user has a role here, or the name belongs to another account.
    Unavailable
        The provider cannot be reached.
    """
    given = query.get("state", "").encode("utf-8", "surrogateescape")
    if attempt is None or not secrets.compare_digest(given, attempt.state.encode()):
        raise failed("this browser did not begin it, or more than 10 minutes ago")
    if query.get("iss", provider.issuer) != provider.issuer:  # RFC 9207
        raise failed("the answer is from another issuer")
    if "error" in query or not query.get("code"):
        raise failed(f"the provider answered {query.get('error', 'without a code')[:80]!r}")
    claims = provider.claims(query["code"], attempt, back)
    user = external_user(stores, _external(stores, claims), address)
    return start_session(stores, user.name, address)


def _external(stores: AccessStores, claims: Mapping[str, Any]) -> ExternalUser:
    settings = stores.settings
    name, label = _claim(claims, settings.oidc_user_claim), claims.get("name")
    return ExternalUser(
        "oidc",
        name if isinstance(name, str) else "",
        str(claims["sub"]),
        label if isinstance(label, str) else "",
        _texts(_claim(claims, settings.oidc_groups_claim)),
    )


def _claim(claims: Mapping[str, Any], name: str) -> object:
    """Return a claim by its name, or with dots inside an object; None without it."""
    if name in claims:
        return claims[name]
    found: object = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _texts(given: object) -> tuple[str, ...]:
    listed = given if isinstance(given, list) else [given]
    return tuple(text for text in listed if isinstance(text, str))
