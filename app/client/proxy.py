"""A proxy of the environment leads to the world outside, not to the server of this machine."""

from __future__ import annotations

import os
from urllib.request import getproxies_environment

_LOOPBACK = "localhost,127.0.0.1,::1"


def reach_ourselves_directly() -> None:
    """Except this machine from the environment's proxy, for us and for what we start."""
    if getproxies_environment():
        others = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = f"{others},{_LOOPBACK}" if others else _LOOPBACK
