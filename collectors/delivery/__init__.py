"""Durable delivery of frames to the server."""

from __future__ import annotations

from collectors.delivery.delivery import Delivery, ServerClient
from collectors.delivery.outbox import Outbox

__all__ = ["Delivery", "Outbox", "ServerClient"]
