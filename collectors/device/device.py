"""A device to poll, and the interface of its driver."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from collectors.contract import Address, Frame, Layout
from collectors.device.limits import LONGEST_DETAIL, clipped

Clock = Callable[[], int]
"""Gives UTC in integer milliseconds."""


@dataclass(frozen=True)
class PolledDevice:
    """A device to poll. `auth` holds references to secrets, never secrets.

    `ct_primary_a`: rated primary current of the current transformers of a meter [A].
    """

    key: str
    profile: str
    address: Address
    interval_s: float = 10.0
    timeout_s: float = 3.0
    auth: Mapping[str, Any] = field(default_factory=dict)
    ct_primary_a: float | None = None

    @staticmethod
    def from_wire(row: Mapping[str, Any]) -> PolledDevice:
        """Return a device from a lease response; see `Address.parse` for errors."""
        return PolledDevice(
            key=str(row["key"]),
            profile=str(row.get("profile") or "auto"),
            address=Address.parse(str(row["address"])),
            interval_s=float(row.get("interval_s") or PolledDevice.interval_s),
            timeout_s=float(row.get("timeout_s") or PolledDevice.timeout_s),
            auth=dict(row.get("auth") or {}),
            ct_primary_a=float(row["ct_primary_a"]) if row.get("ct_primary_a") else None,
        )


@dataclass(frozen=True)
class Note:
    """A finding of a driver that becomes an event; `t_ms` is the device's own time if it reports one, `subject` the
    point concerned. A long detail is cut."""

    kind: str
    detail: str
    severity: str = "info"
    t_ms: int | None = None
    subject: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", clipped(self.detail, LONGEST_DETAIL))


@dataclass
class Poll:
    """Result of one poll: a frame per requested group, and findings."""

    frames: list[Frame] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@runtime_checkable
class Buffered(Protocol):
    """A driver of a device that keeps its samples until they are fetched: it is polled at the facility's interval,
    however often it samples."""

    @property
    def poll_ms(self) -> int:
        """Time between two polls."""


class Driver(Protocol):
    """One device over one protocol. Every method raises only errors of `collectors/errors.py`."""

    @property
    def model(self) -> str:
        """Model that the device reports; empty when it reports none."""

    @property
    def vendor(self) -> str:
        """Maker that the device reports; empty when it reports none."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Values of the profile that the device does not have."""

    async def open(self) -> None:
        """Connect and discover the device's values."""

    def layouts(self) -> list[Layout]:
        """Return the layouts of its frames; valid after `open`, may change after a poll."""

    async def read(self, groups: Collection[str]) -> Poll:
        """Read groups of points; unknown groups are ignored."""

    async def close(self) -> None:
        """Close connections; the driver can be opened again."""
