"""Alerts as text."""

from __future__ import annotations

from app.presentation.alerts import alert_text
from app.presentation.alerts.alert_text import title
from app.presentation.alerts.alert_view import (
    AlertLine,
    AlertsView,
    UndecidedLine,
    alert_line,
    alert_lines,
    alerts_view,
    undecided_lines,
)
from app.presentation.alerts.webhook_message import webhook_message

__all__ = [
    "AlertLine",
    "AlertsView",
    "UndecidedLine",
    "alert_line",
    "alert_lines",
    "alert_text",
    "alerts_view",
    "title",
    "undecided_lines",
    "webhook_message",
]
