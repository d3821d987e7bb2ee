"""Users that an identity provider or a trusted proxy signs in: their roles come from their groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.access import ROLES, Principal, Role
from app.errors import Forbidden
from app.services.access.audit import Actor, record
from app.services.access.links import NAME
from app.services.access.stores import AccessStores
from app.services.access.users import user_state
from app.store.access import Origin, User
from collectors.contract import HOUR_MS

EVERYBODY = "*"


@dataclass(frozen=True)
class ExternalUser:
    """A user as others know one. `subject`: what stays the same there if the name changes."""

    origin: Origin
    name: str
    subject: str
    label: str = ""
    groups: tuple[str, ...] = ()


def roles_of_groups(mapping: Mapping[str, Sequence[Role]], groups: Sequence[str]) -> tuple[Role, ...]:
    """Return the roles of all groups, in the order of the table; `*` is for everybody."""
    found = {role for group in (EVERYBODY, *groups) for role in mapping.get(group, ())}
    return tuple(role for role in ROLES if role in found)


def external_user(stores: AccessStores, given: ExternalUser, address: str) -> User:
    """Return the account of a user that others signed in, created or changed to the roles of now.

    Raises
    ------
    Forbidden
        The name is none, belongs to another account, or is disabled; or no group has a role here.
    """
    if not NAME.fullmatch(given.name):
        raise Forbidden(
            f"{given.name[:80]!r} is not a user name",
            "letters, digits and . _ @ - (at most 64); WATTLINE_OIDC_USER_CLAIM names the claim",
            code="no_user_name",
        )
    known = stores.users.by_subject(given.origin, given.subject) or stores.users.get(given.name)
    if known is not None and (known.name, known.origin, known.subject) != (given.name, given.origin, given.subject):
        raise Forbidden(
            f"the name {given.name!r} belongs to another account",
            "an administrator deletes the account that is no longer used",
            code="name_taken",
        )
    roles = roles_of_groups(stores.settings.group_roles, given.groups)
    if not roles:
        raise Forbidden(
            f"no group of {given.name!r} has a role here",
            "an administrator names the group in WATTLINE_GROUP_ROLES",
            code="no_role",
        )
    if known is not None and known.disabled:
        raise Forbidden(f"the account {given.name!r} is disabled", "an administrator can enable it", code="disabled")
    return _stored(stores, known, given, roles, address)


def _stored(
    stores: AccessStores, known: User | None, given: ExternalUser, roles: tuple[Role, ...], address: str
) -> User:
    now_ms = stores.now_ms()
    actor = Actor(Principal(name=given.name, how="proxy" if given.origin == "proxy" else "session"), address)
    if known is None:
        label = given.label[:200] or given.name
        user = User(
            given.name, roles, label, origin=given.origin, created_ms=now_ms, seen_ms=now_ms, subject=given.subject
        )
        if stores.users.create(user):
            record(stores, actor, "user.create", user.name, None, user_state(user))
        return user
    if known.roles != roles:
        stores.users.change(known.name, roles=roles)
        changed = stores.users.get(known.name) or known
        record(stores, actor, "user.change", known.name, user_state(known), user_state(changed))
        known = changed
    if known.seen_ms is None or not 0 <= now_ms - known.seen_ms < HOUR_MS:
        stores.users.change(known.name, seen_ms=now_ms)
    return known
