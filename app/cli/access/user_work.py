"""What `wattline users` does, on the database of this installation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from app.cli.terminal import console
from app.domain.timeseries import rfc3339
from app.services.access import (
    SERVER,
    OneTimeLink,
    change_user,
    create_user,
    list_users,
    new_link,
    parse_roles,
    remove_user,
)
from app.services.stores import Stores, open_stores
from app.settings import Settings
from app.store.access import User
from app.store.database import require_current_schema


def print_users() -> None:
    """Print all users with their roles."""
    with _stores() as stores:
        for user in list_users(stores):
            state = "disabled" if user.disabled else f"seen {rfc3339(user.seen_ms) or 'never'}"
            roles = " ".join(user.roles) or "no role"
            console.print(f"{user.name}  {roles}  {user.origin}  {state}", markup=False, soft_wrap=True)


def add_user(name: str, roles: Sequence[str], label: str, projects: Sequence[str]) -> None:
    """Create a user and print a one-time link."""
    with _stores() as stores:
        user = User(name, parse_roles(roles), label, tuple(projects))
        _print(stores, create_user(stores, SERVER, user))


def print_link(name: str) -> None:
    """Print a new one-time link for a user."""
    with _stores() as stores:
        _print(stores, new_link(stores, SERVER, name))


def set_roles(name: str, roles: Sequence[str]) -> None:
    """Replace the roles of a user."""
    with _stores() as stores:
        changed = change_user(stores, SERVER, name, roles=parse_roles(roles))
        console.print(f"{name}: {' '.join(changed.roles)}", markup=False)


def set_disabled(name: str, *, disabled: bool) -> None:
    """Disable or enable a user."""
    with _stores() as stores:
        change_user(stores, SERVER, name, disabled=disabled)


def delete_user(name: str) -> None:
    """Delete a user and revoke the tokens."""
    with _stores() as stores:
        remove_user(stores, SERVER, name)


@contextmanager
def _stores() -> Iterator[Stores]:
    stores = open_stores(Settings())
    require_current_schema(stores.engine)
    try:
        yield stores
    finally:
        stores.engine.dispose()


def _print(stores: Stores, made: OneTimeLink) -> None:
    console.print(f"one-time link for {made.user}, until {rfc3339(made.until_ms)}:", markup=False)
    console.print(f"{stores.settings.address}{made.path}", markup=False, soft_wrap=True)
