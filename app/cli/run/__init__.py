"""`wattline run -- CMD`: run a command and register it as a job."""

from __future__ import annotations

from app.cli.run.command import RunAs, answer, insist, run_command, tags_of

__all__ = ["RunAs", "answer", "insist", "run_command", "tags_of"]
