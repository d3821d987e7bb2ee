"""Routes of alerts and their rules."""

from __future__ import annotations

from app.api.alerts import alerts

__all__ = ["alerts"]
