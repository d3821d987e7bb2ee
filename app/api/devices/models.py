"""Request bodies of collectors."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Detail, Moment, Text
from app.store.devices import DeviceEvent, PollFailure, Polling


class PollBody(BaseModel):
    """A failed poll."""

    model_config = ConfigDict(extra="forbid")

    device: Text
    t: Moment
    duration_ms: int | None = Field(default=None, ge=0, lt=2**62)
    code: Text = Field(examples=["timeout"])
    detail: Detail = ""
    collector: Text = ""

    def to_failure(self) -> PollFailure:
        """Return the form that the store takes."""
        return PollFailure(self.device, self.t, self.code, self.detail, self.duration_ms, self.collector)


class PollsBody(BaseModel):
    """Failed polls."""

    model_config = ConfigDict(extra="forbid")

    polls: list[PollBody]


class EventBody(BaseModel):
    """An event: a trap, a counter reset, a restart."""

    model_config = ConfigDict(extra="forbid")

    t: Moment
    kind: Text = Field(examples=["counter_reset"])
    device: Text = ""
    subject: Text = Field(default="", description="subject of the event: a point, a node, a series")
    severity: Literal["info", "warning", "error", "critical"] = "info"
    detail: Detail = ""

    def to_event(self) -> DeviceEvent:
        """Return the form that the store takes."""
        return DeviceEvent(self.t, self.kind, self.device, self.subject, self.severity, self.detail)


class EventsBody(BaseModel):
    """Events."""

    model_config = ConfigDict(extra="forbid")

    events: list[EventBody]


class LayoutsBody(BaseModel):
    """Layouts in the form of `wattline` metadata or of a batch."""

    model_config = ConfigDict(extra="forbid")

    layouts: list[dict[str, Any]]


class PollingBody(BaseModel):
    """Polling statistics of one device."""

    model_config = ConfigDict(extra="forbid")

    latency_ms: int | None = Field(default=None, ge=0, lt=2**40, description="response time of the device")
    skipped: int = Field(default=0, ge=0, lt=2**40, description="polls skipped by overruns since the start")

    def to_polling(self) -> Polling:
        """Return the form that the store takes."""
        return Polling(self.latency_ms, self.skipped)


class LeaseBody(BaseModel):
    """A request for leases, with polling statistics."""

    model_config = ConfigDict(extra="forbid")

    for_s: float = Field(default=60, ge=1, le=3600, description="duration of the lease")
    now: Moment | None = Field(default=None, description="the collector's clock")
    round_trip_ms: int | None = Field(
        default=None, ge=0, lt=2**40, description="duration of the last lease request, as the collector measured it"
    )
    polling: dict[str, PollingBody] = Field(default_factory=dict, description="by device")
