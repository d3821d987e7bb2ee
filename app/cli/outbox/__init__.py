"""`wattline outbox …`: readings of a collector that were not delivered."""

from __future__ import annotations

from app.cli.outbox.command import commands, outbox_path

__all__ = ["commands", "outbox_path"]
