"""Alert rules and the life cycle of an alert."""

from __future__ import annotations

from app.domain.alerts.lifecycle import CLEAR, Alert, AlertFinding, AlertLevel, Grade, at, measured, steps
from app.domain.alerts.rules import RULES, Rule, RuleSettings, changed
from app.domain.alerts.silences import QuietHours, Silence, silence_of

__all__ = [
    "CLEAR",
    "RULES",
    "Alert",
    "AlertFinding",
    "AlertLevel",
    "Grade",
    "QuietHours",
    "Rule",
    "RuleSettings",
    "Silence",
    "at",
    "changed",
    "measured",
    "silence_of",
    "steps",
]
