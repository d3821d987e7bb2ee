"""`wattline users`: accounts, on the server itself. It works on the database of this installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

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

commands = typer.Typer(help="Users of this server: list, add, disable, links for new passwords.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="User name, as in jobs.")]
Roles = Annotated[list[str], typer.Option("--role", help="viewer, researcher, project-lead, operator, planner, admin.")]
Projects = Annotated[list[str] | None, typer.Option("--project", help="A project that a project lead sees in full.")]


@commands.command("list")
def list_() -> None:
    """List users with their roles."""
    with _stores() as stores:
        for user in list_users(stores):
            state = "disabled" if user.disabled else f"seen {rfc3339(user.seen_ms) or 'never'}"
            roles = " ".join(user.roles) or "no role"
            console.print(f"{user.name}  {roles}  {user.origin}  {state}", markup=False, soft_wrap=True)


@commands.command("add")
def add(name: Name, role: Roles, label: str = "", project: Projects = None) -> None:
    """Create a user and print the one-time link with which this person sets a password."""
    with _stores() as stores:
        user = User(name, parse_roles(role), label, tuple(project or ()))
        _print(stores, create_user(stores, SERVER, user))


@commands.command("link")
def link(name: Name) -> None:
    """Print a one-time link with which a user sets a new password."""
    with _stores() as stores:
        _print(stores, new_link(stores, SERVER, name))


@commands.command("roles")
def roles(name: Name, role: Roles) -> None:
    """Replace the roles of a user."""
    with _stores() as stores:
        changed = change_user(stores, SERVER, name, roles=parse_roles(role))
        console.print(f"{name}: {' '.join(changed.roles)}", markup=False)


@commands.command("disable")
def disable(name: Name) -> None:
    """Sign a user out and stop the tokens, until `enable`."""
    with _stores() as stores:
        change_user(stores, SERVER, name, disabled=True)


@commands.command("enable")
def enable(name: Name) -> None:
    """Let a disabled user sign in again."""
    with _stores() as stores:
        change_user(stores, SERVER, name, disabled=False)


@commands.command("delete")
def delete(name: Name) -> None:
    """Delete a user and revoke the tokens. Jobs keep the name."""
    with _stores() as stores:
        remove_user(stores, SERVER, name)


@contextmanager
def _stores() -> Iterator[Stores]:
    stores = open_stores(Settings())
    try:
        yield stores
    finally:
        stores.engine.dispose()


def _print(stores: Stores, made: OneTimeLink) -> None:
    settings = stores.settings
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host  # noqa: S104
    console.print(f"one-time link for {made.user}, until {rfc3339(made.until_ms)}:", markup=False)
    console.print(f"http://{host}:{settings.port}{made.path}", markup=False, soft_wrap=True)
