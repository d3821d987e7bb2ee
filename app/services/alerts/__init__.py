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
    responding_again,
    rule_lines,
    set_rule,
)
from app.services.alerts.collector_findings import ALL_STOPPED
from app.services.alerts.evaluation import QUICK, SLOW, evaluate
from app.services.alerts.notifier import Notifier, send_test
from app.services.alerts.receivers import Receiver, ReceiverLine, declared_receivers, receiver_lines
from app.services.alerts.sending import MailText, ReceiverAnswer, Renderers
from app.services.alerts.silencing import NewSilence, add_silence, close_event, end_silence, silences_now
from app.services.alerts.stores import AlertStores
from app.services.alerts.undecided import UndecidedRule, undecided_rules

__all__ = [
    "ALL_STOPPED",
    "LEVELS",
    "LONGEST_TEXT",
    "QUICK",
    "SLOW",
    "AlertStores",
    "AlertsPage",
    "LevelName",
    "MailText",
    "NewSilence",
    "Notifier",
    "Receiver",
    "ReceiverAnswer",
    "ReceiverLine",
    "Renderers",
    "RuleLine",
    "UndecidedRule",
    "acknowledge",
    "add_silence",
    "close_event",
    "declared_receivers",
    "end_silence",
    "evaluate",
    "list_alerts",
    "read_alerts_page",
    "receiver_lines",
    "responding_again",
    "rule_lines",
    "send_test",
    "set_rule",
    "silences_now",
    "undecided_rules",
]
