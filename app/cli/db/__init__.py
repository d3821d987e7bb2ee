"""`wattline db …`: the database."""

from __future__ import annotations

import typer

from app.cli.db import backup, copy, distribute, restore, stats, upgrade

commands = typer.Typer(help="Manage the database.", no_args_is_help=True)
commands.command("upgrade")(upgrade.command)
commands.command("backup")(backup.command)
commands.command("restore")(restore.command)
commands.command("copy")(copy.command)
commands.command("stats")(stats.command)
commands.command("distribute")(distribute.command)

__all__ = ["commands"]
