"""Keep the lease of a collector and poll the devices that come with it."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager

from collectors.delivery import Outbox, ServerClient
from collectors.errors import NameTaken, OutboxError, ServerError
from collectors.polling.fleet import Fleet
from collectors.polling.outbox_sink import OutboxSink
from collectors.polling.probe_requests import ProbeRequests

_LOG = logging.getLogger(__name__)
LEASE_S = 10.0
_KEPT = "lease"
_RENEW_SHARE = 0.3
"""Renewed so often that two renewals may fail."""
_REPORT_EVERY_MS = 10_000


class LeaseKeeper:
    """Takes and renews the lease of a collector.

    While the server does not answer, the last leased devices are polled on, even after a restart. Whatever a poller
    does, the lease is renewed, and devices that are not in it are not polled.
    """

    def __init__(
        self,
        server: ServerClient,
        outbox: Outbox,
        fleet: Fleet,
        sink: OutboxSink,
        lease_s: float = LEASE_S,
        probes: ProbeRequests | None = None,
    ) -> None:
        self._server = server
        self._outbox = outbox
        self._fleet = fleet
        self._sink = sink
        self._lease_s = lease_s
        self._probes = probes
        self._is_leased: bool | None = None
        self._is_refused = False
        self._reported_ms: int | None = None

    async def run(self) -> None:
        """Take and renew the lease until cancelled."""
        while True:
            pause_s = _RENEW_SHARE * self._lease_s
            try:
                await self._renew()
            except NameTaken as taken:
                await self._stand_by(taken)
            except ServerError as error:
                await self._go_on(error)
                pause_s *= random.uniform(0.5, 1.0)
            except OutboxError as error:
                _LOG.warning("cannot keep the lease in the outbox: %s", error.explanation)
            except Exception:
                _LOG.exception("the lease could not be applied; it is renewed again")
            with self._logged():
                self._sink.check_clock()
            await asyncio.sleep(pause_s)

    async def _renew(self) -> None:
        polling = self._fleet.polling() if self._is_report_due() else {}
        answer = await self._server.lease(self._lease_s, polling)
        if self._probes is not None:
            self._probes.start(list(answer.get("probes") or []))
        rows = list(answer.get("devices") or [])
        await self._fleet.take(rows)
        if self._is_leased is False or self._is_refused:
            _LOG.warning("lease renewed: %d devices", len(rows))
        self._is_leased, self._is_refused = True, False
        passing = ("from_s", "until_s")
        self._outbox.keep(_KEPT, [row for row in rows if not any(row.get(name) is not None for name in passing)])

    async def _stand_by(self, taken: NameTaken) -> None:
        """Poll nothing while another collector of this name does."""
        await self._fleet.take([])
        if not self._is_refused:
            _LOG.error("polling nothing: %s", taken.explanation)
        self._is_leased, self._is_refused = None, True

    async def _go_on(self, error: ServerError) -> None:
        """Poll on without a server; after a start with the devices of the last lease."""
        if self._is_leased is None and not self._is_refused:
            with self._logged():
                await self._fleet.take(self._outbox.kept(_KEPT) or [])
        if self._is_leased is not False:
            _LOG.warning(
                "cannot renew the lease, polling %d devices on: %s", len(self._fleet.devices), error.explanation
            )
        self._is_leased = False

    def _is_report_due(self) -> bool:
        now_ms = self._server.clock.monotonic_ms()
        if self._reported_ms is not None and now_ms - self._reported_ms < _REPORT_EVERY_MS:
            return False
        self._reported_ms = now_ms
        return True

    @contextmanager
    def _logged(self) -> Iterator[None]:
        try:
            yield
        except OutboxError as error:
            _LOG.warning("%s", error.explanation)
