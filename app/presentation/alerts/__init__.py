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
from app.presentation.alerts.chat_message import mattermost_message, slack_message, teams_message
from app.presentation.alerts.mail_message import mail_message
from app.presentation.alerts.receiver_view import ReceiverView, SilenceLine, receiver_view, silence_line
from app.presentation.alerts.webhook_message import webhook_message
from app.services.alerts import Renderers

RENDERERS: Renderers = {
    "alertmanager": webhook_message,
    "slack": slack_message,
    "mattermost": mattermost_message,
    "teams": teams_message,
    "email": mail_message,
}
"""What makes the message of each form of receiver."""

__all__ = [
    "RENDERERS",
    "AlertLine",
    "AlertsView",
    "ReceiverView",
    "SilenceLine",
    "UndecidedLine",
    "alert_line",
    "alert_lines",
    "alert_text",
    "alerts_view",
    "receiver_view",
    "silence_line",
    "title",
    "undecided_lines",
    "webhook_message",
]
