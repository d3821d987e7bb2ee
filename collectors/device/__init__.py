"""The device a collector polls: address, credentials, driver interface."""

from __future__ import annotations

from collectors.device.device import Buffered, Clock, Driver, Note, Poll, PolledDevice
from collectors.device.limits import LONGEST_DETAIL, LONGEST_TEXT, MOST_BYTES, MOST_SERIES, clipped
from collectors.device.secret import Secret, resolve
from collectors.device.web import bearer, unreachable, user_and_password, web_client
from collectors.device.web_answer import WebAnswer, fetch

__all__ = [
    "LONGEST_DETAIL",
    "LONGEST_TEXT",
    "MOST_BYTES",
    "MOST_SERIES",
    "Buffered",
    "Clock",
    "Driver",
    "Note",
    "Poll",
    "PolledDevice",
    "Secret",
    "WebAnswer",
    "bearer",
    "clipped",
    "fetch",
    "resolve",
    "unreachable",
    "user_and_password",
    "web_client",
]
