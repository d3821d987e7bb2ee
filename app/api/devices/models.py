"""Request bodies of collectors."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, ConfigDict, Field, SkipValidation, model_validator
from typing_extensions import TypedDict

from app.api.http import Detail, Moment, Text
from app.store.devices import DeviceEvent, PollFailure, Polling
from collectors.contract import Quantity

INSTANCE = r"^[A-Za-z0-9._-]{1,64}$"


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


class SeriesBody(TypedDict):
    """A series of a layout. Numbers are in `unit`; what is omitted is not known."""

    point: Annotated[str, Field(examples=["outlet/12"])]
    quantity: Quantity
    unit: NotRequired[Annotated[str, Field(description="base unit of the quantity unless given", examples=["W"])]]
    label: NotRequired[str]
    sensor: NotRequired[Annotated[str, Field(description="what a reading is, such as instant or average over 10 s")]]
    signed: NotRequired[Annotated[bool, Field(description="readings may be negative")]]
    resolution: NotRequired[Annotated[float, Field(description="step between two readings")]]
    accuracy_pct: NotRequired[Annotated[float, Field(description="limit of error [% of the reading]")]]
    accuracy_abs: NotRequired[Annotated[float, Field(description="limit of error beside it")]]
    accuracy_over_current: NotRequired[
        Annotated[
            list[tuple[float, float]],
            Field(description="limits of a class over the line current: [[A, % of the reading], …], rising currents"),
        ]
    ]
    counter_bits: NotRequired[Annotated[int, Field(description="width of a register")]]
    counter_modulus: NotRequired[Annotated[float, Field(description="reading at which a register starts again at 0")]]
    rated: NotRequired[Annotated[float, Field(description="rating; more than 3 × of it cannot be true")]]


class LayoutBody(TypedDict):
    """A layout: what is measured, and how often."""

    device: str
    interval_s: Annotated[float, Field(gt=0, examples=[10])]
    series: list[SeriesBody]
    group: NotRequired[Annotated[str, Field(description="`main` unless given")]]
    max_gap_s: NotRequired[Annotated[float, Field(gt=0, description="longer stretches without readings are gaps")]]
    meter: NotRequired[Annotated[str, Field(description="what measured, such as a model")]]


class BatchBody(TypedDict):
    """Readings of one device: with its layout, or with the hash of an announced one in `layout`."""

    t: Annotated[list[int | str], Field(description="milliseconds since 1970, UTC, or RFC 3339; rising")]
    values: Annotated[list[list[float | None]], Field(description="one row per series; null is missing")]
    device: NotRequired[str]
    group: NotRequired[Annotated[str, Field(description="`main` unless given")]]
    interval_s: NotRequired[Annotated[float, Field(gt=0, description="required without `layout`")]]
    max_gap_s: NotRequired[Annotated[float, Field(gt=0, description="longer stretches without readings are gaps")]]
    meter: NotRequired[Annotated[str, Field(description="what measured, such as a model")]]
    series: NotRequired[Annotated[list[SeriesBody], Field(description="required without `layout`")]]
    layout: NotRequired[Annotated[str, Field(description="hash of an announced layout")]]
    fence: NotRequired[Annotated[int, Field(description="of the lease, from collectors")]]


class IngestBody(TypedDict):
    """Batches of readings. A single batch may also be sent bare."""

    batches: list[BatchBody]


class LayoutsBody(BaseModel):
    """Layouts in the form of `wattline` metadata or of a batch."""

    model_config = ConfigDict(extra="forbid")

    layouts: list[Annotated[LayoutBody, SkipValidation]]


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
    instance: str | None = Field(
        default=None,
        pattern=INSTANCE,
        description="identifies a collector among those of its name, also after a restart",
    )
    polling: dict[str, PollingBody] = Field(default_factory=dict, description="by device")


class ProbeReadingBody(BaseModel):
    """One value of a probed device, in the base unit of its quantity."""

    model_config = ConfigDict(extra="forbid")

    point: Text
    quantity: Text
    value: float | None
    unit: Text
    sensor: Text = ""


class ProbeReportBody(BaseModel):
    """What a collector read from a device."""

    model_config = ConfigDict(extra="forbid")

    profile: Text
    vendor: Text = ""
    model: Text = ""
    kind: Text = ""
    generic: list[Text] = Field(default_factory=list, max_length=20)
    notes: list[Detail] = Field(default_factory=list, max_length=100)
    readings: list[ProbeReadingBody] = Field(max_length=5000)
    missing: list[Text] = Field(default_factory=list, max_length=5000)


class ProbeProblemBody(BaseModel):
    """Why a device could not be read, and the suggested fix."""

    model_config = ConfigDict(extra="forbid")

    code: Text
    detail: Detail
    hint: Detail = ""


class ProbeBody(BaseModel):
    """The result of a probe: a report or a problem."""

    model_config = ConfigDict(extra="forbid")

    report: ProbeReportBody | None = None
    problem: ProbeProblemBody | None = None

    @model_validator(mode="after")
    def _is_one(self) -> ProbeBody:
        if (self.report is None) == (self.problem is None):
            raise ValueError("a result is either a report or a problem")
        return self
