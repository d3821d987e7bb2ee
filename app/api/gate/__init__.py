"""What is decided about a request from its headers and its connection, before anything of it is parsed."""

from __future__ import annotations

from app.api.gate.body_limit import body_limit, limited, require_short_body
from app.api.gate.forwarded import FORWARDING, PEER, TrustedProxies, is_forwarded, is_listed
from app.api.gate.local_peer import CONNECTION, why_not_local
from app.api.gate.origin import is_foreign
from app.api.gate.path_prefix import PathPrefix, route_path
from app.api.gate.throttle import Throttle

__all__ = [
    "CONNECTION",
    "FORWARDING",
    "PEER",
    "PathPrefix",
    "Throttle",
    "TrustedProxies",
    "body_limit",
    "is_foreign",
    "is_forwarded",
    "is_listed",
    "limited",
    "require_short_body",
    "route_path",
    "why_not_local",
]
