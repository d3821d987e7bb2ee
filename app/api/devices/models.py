"""What collectors report beside readings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Detail, Moment, Text
from app.store.devices import DeviceEvent, PollFailure, Polling


class PollBody(BaseModel):
    """A poll that brought no reading."""

    model_config = ConfigDict(extra="forbid")

    device: Text
    t: Moment
    duration_ms: int | None = Field(default=None, ge=0, lt=2**62)
    code: Text = Field(examples=["timeout"])
    detail: Detail = ""
    collector: Text = ""

    def to_failure(self) -> PollFailure:
        """The store's form."""
        return PollFailure(self.device, self.t, self.code, self.detail, self.duration_ms, self.collector)


class PollsBody(BaseModel):
    """Polls that failed."""

    model_config = ConfigDict(extra="forbid")

    polls: list[PollBody]


class EventBody(BaseModel):
    """Something that happened: a trap, a counter's reset, a restart."""

    model_config = ConfigDict(extra="forbid")

    t: Moment
    kind: Text = Field(examples=["counter_reset"])
    device: Text = ""
    subject: Text = Field(default="", description="what it is about: a point, a node, a series")
    severity: Literal["info", "warning", "error", "critical"] = "info"
    detail: Detail = ""

    def to_event(self) -> DeviceEvent:
        """The store's form."""
        return DeviceEvent(self.t, self.kind, self.device, self.subject, self.severity, self.detail)


class EventsBody(BaseModel):
    """Events."""

    model_config = ConfigDict(extra="forbid")

    events: list[EventBody]


class LayoutsBody(BaseModel):
    """Layouts, each as `wattline` metadata or a batch carries it."""

    model_config = ConfigDict(extra="forbid")

    layouts: list[dict[str, Any]]


class PollingBody(BaseModel):
    """How polling one device goes."""

    model_config = ConfigDict(extra="forbid")

    latency_ms: int | None = Field(default=None, ge=0, lt=2**40, description="how long the device takes to answer")
    skipped: int = Field(default=0, ge=0, lt=2**40, description="polls that an overrun left out, since the start")

    def to_polling(self) -> Polling:
        """The store's form."""
        return Polling(self.latency_ms, self.skipped)


class LeaseBody(BaseModel):
    """What a collector wants, and how polling goes."""

    model_config = ConfigDict(extra="forbid")

    for_s: float = Field(default=60, ge=5, le=3600, description="how long the lease is to hold")
    now: Moment | None = Field(default=None, description="the collector's clock")
    polling: dict[str, PollingBody] = Field(default_factory=dict, description="by device")
