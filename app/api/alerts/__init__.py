"""Routes of alerts and their rules."""

from __future__ import annotations

from app.api.alerts import alerts, receivers, silences

__all__ = ["alerts", "receivers", "silences"]
