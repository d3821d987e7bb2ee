"""`wattline users`: accounts, on the server itself. It works on the database of this installation."""

from __future__ import annotations

from typing import Annotated

import typer

commands = typer.Typer(help="Users of this server: list, add, disable, links for new passwords.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="User name, as in jobs.")]
Roles = Annotated[list[str], typer.Option("--role", help="viewer, researcher, project-lead, operator, planner, admin.")]
Projects = Annotated[list[str] | None, typer.Option("--project", help="A project that a project lead sees in full.")]


@commands.command("list")
def list_() -> None:
    """List users with their roles."""
    from app.cli.access.user_work import print_users

    print_users()


@commands.command("add")
def add(name: Name, role: Roles, label: str = "", project: Projects = None) -> None:
    """Create a user and print the one-time link with which this person sets a password."""
    from app.cli.access.user_work import add_user

    add_user(name, role, label, project or ())


@commands.command("link")
def link(name: Name) -> None:
    """Print a one-time link with which a user sets a new password."""
    from app.cli.access.user_work import print_link

    print_link(name)


@commands.command("roles")
def roles(name: Name, role: Roles) -> None:
    """Replace the roles of a user."""
    from app.cli.access.user_work import set_roles

    set_roles(name, role)


@commands.command("disable")
def disable(name: Name) -> None:
    """Sign a user out and stop the tokens, until `enable`."""
    from app.cli.access.user_work import set_disabled

    set_disabled(name, disabled=True)


@commands.command("enable")
def enable(name: Name) -> None:
    """Let a disabled user sign in again."""
    from app.cli.access.user_work import set_disabled

    set_disabled(name, disabled=False)


@commands.command("delete")
def delete(name: Name) -> None:
    """Delete a user and revoke the tokens. Jobs keep the name."""
    from app.cli.access.user_work import delete_user

    delete_user(name)
