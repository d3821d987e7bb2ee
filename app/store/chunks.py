"""Sealing: windows of old frames become compressed chunks."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine


@dataclass(frozen=True)
class SealReport:
    """What a round of sealing did."""

    chunks: int = 0
    frames: int = 0
    values: int = 0
    bytes: int = 0


def seal(engine: Engine, before_ms: int) -> SealReport:
    """Seal every window that ended before a moment, one transaction each; safe beside writers and other sealers."""
    raise NotImplementedError
