"""How collecting goes: polls that failed, events, leases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine


@dataclass(frozen=True)
class PollFailure:
    """A poll that brought no reading."""

    device: str
    t_ms: int
    code: str
    detail: str = ""
    duration_ms: int | None = None
    collector: str = ""


@dataclass(frozen=True)
class Event:
    """Something that happened to a device or a subject (a node, a job, a series); '' where there is none."""

    t_ms: int
    kind: str
    device: str = ""
    subject: str = ""
    severity: str = "info"
    detail: str = ""


@dataclass(frozen=True)
class Lease:
    """Who polls a device, and until when."""

    device: str
    collector: str
    until_ms: int


@dataclass(frozen=True)
class DeviceHealth:
    """A device as its readings and failures show it. `failures` counts since the moment asked about."""

    device: str
    last_t_ms: int | None = None
    last_stored_ms: int | None = None
    failures: int = 0
    last_failure: PollFailure | None = None


class HealthStore:
    """What collectors report beside readings. Safe to share between threads."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def record_failures(self, failures: Sequence[PollFailure]) -> int:
        """Keep failed polls; those already known are skipped. Returns how many were new."""
        raise NotImplementedError

    def failures(self, device: str | None, start_ms: int, end_ms: int, limit: int = 1000) -> list[PollFailure]:
        """Failed polls in [start, end), newest first."""
        raise NotImplementedError

    def record_events(self, events: Sequence[Event]) -> int:
        """Keep events; those already known are skipped. Returns how many were new."""
        raise NotImplementedError

    def events(self, device: str | None, start_ms: int, end_ms: int, limit: int = 1000) -> list[Event]:
        """Events in [start, end), newest first."""
        raise NotImplementedError

    def lease(self, collector: str, devices: Sequence[str], now_ms: int, until_ms: int) -> list[str]:
        """Take or renew those of `devices` nobody else holds; what the collector held beside them is released."""
        raise NotImplementedError

    def leases(self, now_ms: int) -> dict[str, Lease]:
        """The leases in force, by device."""
        raise NotImplementedError

    def health(self, since_ms: int) -> dict[str, DeviceHealth]:
        """Every device that ever delivered a frame or failed since then."""
        raise NotImplementedError
