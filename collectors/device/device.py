"""What a collector is told about a device, and the seam every protocol fills."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from collectors.contract import Address, Frame, Layout

Clock = Callable[[], int]
"""Gives UTC in integer milliseconds."""


@dataclass(frozen=True)
class PolledDevice:
    """A device to poll. `auth` holds references to secrets, never secrets."""

    key: str
    profile: str
    address: Address
    interval_s: float = 10.0
    timeout_s: float = 3.0
    auth: Mapping[str, Any] = field(default_factory=dict)

    @staticmethod
    def from_wire(row: Mapping[str, Any]) -> PolledDevice:
        """A device of the lease's answer; see `Address.parse` for errors."""
        return PolledDevice(
            key=str(row["key"]),
            profile=str(row.get("profile") or "auto"),
            address=Address.parse(str(row["address"])),
            interval_s=float(row.get("interval_s") or PolledDevice.interval_s),
            timeout_s=float(row.get("timeout_s") or PolledDevice.timeout_s),
            auth=dict(row.get("auth") or {}),
        )


@dataclass(frozen=True)
class Note:
    """Something a driver noticed that is worth an event; `t_ms` where the device itself says when it was, `subject`
    the point it is about."""

    kind: str
    detail: str
    severity: str = "info"
    t_ms: int | None = None
    subject: str = ""


@dataclass
class Poll:
    """What one poll brought: a frame per group that was asked for, and what was noticed on the way."""

    frames: list[Frame] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@runtime_checkable
class Buffered(Protocol):
    """A driver of a device that keeps its samples until they are fetched: it is asked as often as the facility says,
    however short the interval of its samples."""

    @property
    def poll_ms(self) -> int:
        """Time between two polls."""


class Driver(Protocol):
    """One device over one protocol. Every method raises only errors of `collectors/errors.py`."""

    @property
    def model(self) -> str:
        """What the device says it is; empty when it says nothing."""

    @property
    def missing(self) -> tuple[str, ...]:
        """What the profile has and this device does not answer."""

    async def open(self) -> None:
        """Connect, and learn what the device has."""

    def layouts(self) -> list[Layout]:
        """What its frames hold now; valid after `open`, may change after a poll."""

    async def read(self, groups: Collection[str]) -> Poll:
        """Ask for the groups of points named (those it does not have are ignored)."""

    async def close(self) -> None:
        """Let go of sockets; the driver can be opened again."""
