"""Durable delivery of frames to the server."""

from __future__ import annotations

from collectors.delivery.dead_letters import HELD, DeadLetterGroup, DeadLetters
from collectors.delivery.delivery import Delivery
from collectors.delivery.outbox import MAX_BYTES, Outbox
from collectors.delivery.server_client import ServerClient
from collectors.delivery.server_clock import ClockState, ServerClock

__all__ = [
    "HELD",
    "MAX_BYTES",
    "ClockState",
    "DeadLetterGroup",
    "DeadLetters",
    "Delivery",
    "Outbox",
    "ServerClient",
    "ServerClock",
]
