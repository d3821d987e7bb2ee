"""Alert evaluation, lists and webhook delivery."""

from __future__ import annotations

from app.services.alerts import alert_list
from app.services.alerts.alert_list import LEVELS, LONGEST_TEXT
from app.services.alerts.evaluation import SLOW, watch
from app.services.alerts.stores import AlertStores
from app.services.alerts.webhook import Webhook

__all__ = ["LEVELS", "LONGEST_TEXT", "SLOW", "AlertStores", "Webhook", "alert_list", "watch"]
