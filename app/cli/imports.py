"""What `wattline import` brings in: meter logs; jobs of a scheduler, or cords of NetBox, by that name."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from app.cli.jobs import import_logs
from app.cli.netbox import import_netbox
from app.cli.slurm import import_slurm


class _LogsUnlessNamed(TyperGroup):
    """`wattline import FILE` is `wattline import logs FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer's own copy of click
        """Put the name of the command before its arguments where it is left out."""
        named = not args or args[0] in {*self.commands, "--help"}
        return super().parse_args(ctx, args if named else ["logs", *args])


commands = typer.Typer(
    cls=_LogsUnlessNamed, help="Bring in meter logs, jobs of Slurm, or cords of NetBox.", no_args_is_help=True
)
commands.command(name="logs")(import_logs)
commands.command(name="slurm")(import_slurm)
commands.command(name="netbox")(import_netbox)
