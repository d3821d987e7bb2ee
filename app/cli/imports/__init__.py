"""`wattline import …`: meter logs, jobs of Slurm, cords of NetBox."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from app.cli.imports import logs, slurm
from app.cli.imports.netbox import command as netbox


class _LogsUnlessNamed(TyperGroup):
    """`wattline import FILE` is `wattline import logs FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own copy of click
        """Insert the name of the command if it is missing."""
        named = not args or args[0] in {*self.commands, "--help"}
        return super().parse_args(ctx, args if named else ["logs", *args])


commands = typer.Typer(
    cls=_LogsUnlessNamed, help="Import meter logs, jobs of Slurm, or cords of NetBox.", no_args_is_help=True
)
commands.command("logs")(logs.command)
commands.command("slurm")(slurm.command)
commands.command("netbox")(netbox.command)

__all__ = ["commands"]
