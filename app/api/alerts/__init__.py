"""Routes of alerts and their rules."""

from __future__ import annotations

from app.api.alerts import alerts, receivers, silences
from app.api.alerts.models import AlertRuleBody

__all__ = ["AlertRuleBody", "alerts", "receivers", "silences"]
