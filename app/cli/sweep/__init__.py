"""`wattline sweep`: run one command at several power caps."""

from __future__ import annotations

from app.cli.sweep import command

__all__ = ["command"]
