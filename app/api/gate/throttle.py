"""Slow down whoever tries credentials."""

from __future__ import annotations

import hashlib
import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from app.errors import TooManyRequests

MOST_TRIES = 10
WINDOW_S = 60.0
_MOST_CLIENTS = 10_000


class Throttle:
    """Refuses credentials of a client that tried many wrong ones in the last minute.

    The same wrong credential counts once: a collector with an outdated token does not lock out its network. A client is
    an IPv4 address or an IPv6 /64 network.
    """

    def __init__(
        self, most: int = MOST_TRIES, window_s: float = WINDOW_S, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._window_s = window_s
        self._clock_s = clock_s
        self._tries: OrderedDict[str, dict[bytes, float]] = OrderedDict()
        self._lock = threading.Lock()

    def require(self, client: str) -> None:
        """Raise an error if this client has to wait.

        Raises
        ------
        TooManyRequests
        """
        with self._lock:
            tries = self._recent(_network(client))
            if len(tries) >= self._most:
                wait_s = min(tries.values()) + self._window_s - self._clock_s()
                raise TooManyRequests(
                    f"{len(tries)} wrong credentials came from {client} within {self._window_s:g} s",
                    "wait, and check the token",
                    retry_after_s=max(1, round(wait_s)),
                )

    def count(self, client: str, credential: str) -> None:
        """Remember a wrong credential of a client."""
        network = _network(client)
        with self._lock:
            tries = self._tries[network] = self._recent(network)
            self._tries.move_to_end(network)
            if len(tries) < self._most:
                tries[hashlib.sha256(credential.encode("utf-8", "surrogateescape")).digest()] = self._clock_s()
            while len(self._tries) > _MOST_CLIENTS:
                self._tries.popitem(last=False)

    def _recent(self, network: str) -> dict[bytes, float]:
        since = self._clock_s() - self._window_s
        tries = {key: t for key, t in self._tries.get(network, {}).items() if t > since}
        if tries:
            self._tries[network] = tries
        else:
            self._tries.pop(network, None)
        return tries


def _network(client: str) -> str:
    try:
        address = ipaddress.ip_address(client)
    except ValueError:
        return client
    if address.version == 4:
        return client
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.ip_network((address, 64), strict=False))
