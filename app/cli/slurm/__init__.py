"""`wattline slurm …`: jobs of Slurm."""

from __future__ import annotations

import typer

from app.cli.slurm import hook, watch

commands = typer.Typer(help="Import jobs of Slurm continuously, or from its nodes.", no_args_is_help=True)
commands.command("watch")(watch.command)
commands.command("hook")(hook.command)

__all__ = ["commands"]
