"""Put results of pollers into the outbox."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from collectors.contract import Frame, wall_clock_ms
from collectors.delivery import Delivery, Outbox, ServerClock
from collectors.device import Clock, Note
from collectors.errors import OutboxError
from collectors.polling.poller import FailedPoll

_LOG = logging.getLogger(__name__)


class OutboxSink:
    """Puts results of pollers into the outbox and wakes delivery.

    Frames read while the collector's clock was too far ahead of the server's are held; failed polls and events of that
    time get the server's time.
    """

    def __init__(
        self,
        outbox: Outbox,
        delivery: Delivery,
        collector: str,
        clock: Clock = wall_clock_ms,
        server_clock: ServerClock | None = None,
    ) -> None:
        self._outbox = outbox
        self._delivery = delivery
        self._collector = collector
        self._clock = clock
        self._server_clock = server_clock or ServerClock()
        self._full = self._ahead = self._broken = False

    def frames(self, frames: Sequence[Frame], fence: int | None = None) -> None:
        """Store frames; record an event when the outbox becomes full, or when frames begin to be held.

        Raises
        ------
        OutboxError
            They cannot be stored.
        """
        state = self._server_clock.state()
        result = self._outbox.put(frames, state, fence)
        if state is None and result.last_id:
            self._server_clock.remember(result.first_id, result.last_id)
        if result.dropped and not self._full:
            detail = f"{self._outbox.waiting} frames wait for the server; new ones are dropped"
            _LOG.warning("the outbox is full: %s", detail)
            self._put_event("", Note("outbox_full", detail, "warning"))
        if state is not None and result.held and not self._ahead:
            self._held(state.offset_ms)
        self._full, self._ahead = bool(result.dropped), bool(result.held)
        self._delivery.wake()

    def failure(self, failure: FailedPoll) -> None:
        """Store a failed poll, if that is possible."""
        t_ms = self._server_ms(failure.t_ms)
        body = {"device": failure.device, "collector": self._collector, "t": t_ms}
        more = {"duration_ms": failure.duration_ms, "code": failure.code, "detail": failure.detail}
        try:
            self._outbox.put_note("poll", {**body, **more})
        except OutboxError as error:
            self._cannot_store(error)
        else:
            self._broken = False
        self._delivery.wake()

    def event(self, device: str, note: Note) -> None:
        """Store an event, if that is possible."""
        self._put_event(device, note)
        self._delivery.wake()

    def check_clock(self) -> None:
        """Record an event if the collector's clock was set, and hold frames that were read while it was ahead."""
        if step_ms := self._server_clock.step_ms():
            detail = f"the clock of collector {self._collector} was set by {step_ms / 1000:+.1f} s"
            _LOG.warning("%s", detail)
            self.event("", Note("clock_step", detail, "warning", subject=self._collector))
        for first_id, last_id, state in self._server_clock.placed():
            held = self._outbox.dead.hold(first_id, last_id, 0, self._clock(), state.offset_ms) if state.is_ahead else 0
            if held:
                self._ahead = True
                self._held(state.offset_ms)

    def _held(self, offset_ms: int) -> None:
        detail = (
            f"the clock of collector {self._collector} is {offset_ms / 1000:.1f} s ahead of the server's: its readings "
            "are held in its outbox (wattline outbox list)"
        )
        _LOG.warning("%s", detail)
        self._put_event("", Note("clock_ahead", detail, "error", subject=self._collector))

    def _put_event(self, device: str, note: Note) -> None:
        t_ms = self._server_ms(self._clock()) if note.t_ms is None else note.t_ms
        body = {"t": t_ms, "kind": note.kind, "severity": note.severity, "detail": note.detail}
        about = {name: value for name, value in (("device", device), ("subject", note.subject)) if value}
        try:
            self._outbox.put_note("event", body | about)
        except OutboxError as error:
            self._cannot_store(error)
        else:
            self._broken = False

    def _server_ms(self, t_ms: int) -> int:
        """Return the server's time of a time of this collector, if they differ so much that it matters."""
        state = self._server_clock.state()
        return t_ms - state.offset_ms if state is not None and state.is_ahead else t_ms

    def _cannot_store(self, error: OutboxError) -> None:
        if not self._broken:
            _LOG.warning("failed polls and events cannot be stored: %s", error.explanation)
        self._broken = True
