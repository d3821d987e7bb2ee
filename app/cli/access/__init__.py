"""`wattline users`: accounts of the server."""

from __future__ import annotations

from app.cli.access.users import commands

__all__ = ["commands"]
