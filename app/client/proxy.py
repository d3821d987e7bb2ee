"""Keep the proxy settings of the environment from applying to this machine."""

from __future__ import annotations

import os
from urllib.request import getproxies_environment

_LOOPBACK = "localhost,127.0.0.1,::1"


def bypass_proxy_for_localhost() -> None:
    """Exclude localhost from the proxy of the environment, for this process and its children."""
    if getproxies_environment():
        others = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
        os.environ["no_proxy"] = os.environ["NO_PROXY"] = f"{others},{_LOOPBACK}" if others else _LOOPBACK
