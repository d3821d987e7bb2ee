"""SNMP v1, v2c and v3."""

from __future__ import annotations

from collectors.protocols.snmp.auth import Usm, sign_in
from collectors.protocols.snmp.ber import Raw
from collectors.protocols.snmp.connect import client_for, explain_silence
from collectors.protocols.snmp.driver import SnmpDriver
from collectors.protocols.snmp.identity import identify_snmp, model_of
from collectors.protocols.snmp.notifications import (
    MOST_ELEMENTS,
    V3,
    Answer,
    Notification,
    Socket,
    UserReceiver,
    elements_of,
    read_plain,
    version_of,
)

__all__ = [
    "MOST_ELEMENTS",
    "V3",
    "Answer",
    "Notification",
    "Raw",
    "SnmpDriver",
    "Socket",
    "UserReceiver",
    "Usm",
    "client_for",
    "elements_of",
    "explain_silence",
    "identify_snmp",
    "model_of",
    "read_plain",
    "sign_in",
    "version_of",
]
