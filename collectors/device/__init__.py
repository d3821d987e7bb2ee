"""The device a collector polls: address, credentials, driver interface."""

from __future__ import annotations

from collectors.device.device import Buffered, Clock, Driver, Note, Poll, PolledDevice
from collectors.device.secret import Secret, resolve
from collectors.device.web import bearer, unreachable, user_and_password, web_client

__all__ = [
    "Buffered",
    "Clock",
    "Driver",
    "Note",
    "Poll",
    "PolledDevice",
    "Secret",
    "bearer",
    "resolve",
    "unreachable",
    "user_and_password",
    "web_client",
]
