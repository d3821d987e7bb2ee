"""Alert rules and the life cycle of an alert."""

from __future__ import annotations

from app.domain.alerts.lifecycle import CLEAR, Alert, AlertFinding, AlertLevel, at, measured, steps
from app.domain.alerts.rules import RULES, Rule, RuleSettings, changed

__all__ = [
    "CLEAR",
    "RULES",
    "Alert",
    "AlertFinding",
    "AlertLevel",
    "Rule",
    "RuleSettings",
    "at",
    "changed",
    "measured",
    "steps",
]
