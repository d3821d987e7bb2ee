"""Alert evaluation, lists and webhook delivery."""

from __future__ import annotations

from app.services.alerts.alert_list import (
    LEVELS,
    LONGEST_TEXT,
    AlertsPage,
    LevelName,
    RuleLine,
    acknowledge,
    list_alerts,
    read_alerts_page,
    rule_lines,
    set_rule,
)
from app.services.alerts.evaluation import QUICK, SLOW, evaluate
from app.services.alerts.stores import AlertStores
from app.services.alerts.undecided import UndecidedRule, undecided_rules
from app.services.alerts.webhook import Webhook

__all__ = [
    "LEVELS",
    "LONGEST_TEXT",
    "QUICK",
    "SLOW",
    "AlertStores",
    "AlertsPage",
    "LevelName",
    "RuleLine",
    "UndecidedRule",
    "Webhook",
    "acknowledge",
    "evaluate",
    "list_alerts",
    "read_alerts_page",
    "rule_lines",
    "set_rule",
    "undecided_rules",
]
