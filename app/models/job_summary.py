"""The figures of a job: what is stored, and what answers show."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from app.domain.energy import TotalMethod
from app.models.answers import MAY_BE_OMITTED, Share, StretchAnswer, Time
from app.models.charge import Carbon, Cost

Method = Annotated[
    TotalMethod, Field(description="energy by the meters' registers, by integrating power, or by each for some nodes")
]
PowerBasis = Annotated[
    Literal["measured", "derived", "mixed"], Field(description="power as read, or derived from energy registers")
]


class JobPowerStatistics(TypedDict):
    """Statistics [W] of the sum of the nodes while all of them are covered, and when it was highest."""

    mean: float | None
    median: float | None
    min: float | None
    max: float | None
    p5: float | None
    p25: float | None
    p75: float | None
    p95: float | None
    p99: float | None
    max_at: Time | None
    max_over_s: Annotated[float | None, Field(description="time that a derived maximum is the mean of")]


class GpuIdle(TypedDict):
    """Energy and time of allocated GPUs whose utilization was below `below_pct`."""

    energy_j: float
    energy_pct: float | None
    gpu_hours: float
    below_pct: float
    coverage: float | None
    by_day: Annotated[
        dict[str, float], Field(description="day of the site's clocks → energy [J]", examples=[{"2026-11-20": 360000}])
    ]


class GpuFigure(TypedDict):
    """One GPU of a job. `part`: the share of it that the job holds."""

    node: str
    gpu: Annotated[str, Field(examples=["gpu/0"])]
    label: str | None
    part: Share
    energy_j: float | None
    mean_w: float | None
    max_w: float | None
    coverage: Share
    utilization_mean_pct: float | None
    idle_energy_j: float | None


class GpuFigures(TypedDict):
    """The GPUs of a job; `by_gpu` is empty for more than 64."""

    energy_j: float | None
    utilization_mean_pct: float | None
    idle: GpuIdle | None
    count: int
    by_gpu: list[GpuFigure]


class EnergyByPart(TypedDict):
    """Energy of the GPUs and of the rest, over the time in which node and GPUs were read.

    `rest_j` is negative where the GPUs read more than the whole node. `other_gpus_j`: GPUs of its own nodes that an
    exclusive job does not list.
    """

    gpu_j: float
    other_gpus_j: float
    rest_j: float
    coverage: Share
    components_only: bool


class EnergyByCause(TypedDict):
    """Idle energy of the nodes and the energy above it. `measured_s`: idle time it was measured in; null: declared."""

    baseline_j: float
    dynamic_j: float
    baseline_w: float
    measured_s: float | None


class EnergyMethods(TypedDict):
    """Energy [J] by both methods, the share of node time that each covers, and their difference.

    `counter` is null unless all cords have energy registers; `counter_step_j` is their resolution.
    """

    integral: float | None
    counter: float | None
    difference_pct: float | None
    integral_coverage: float | None
    counter_coverage: float | None
    integral_uncertainty_pct: float | None
    counter_uncertainty_pct: float | None
    counter_step_j: float | None


class InsideJob(TypedDict):
    """The job in whose allocation this one ran. `job` is null where the jobs of others are hidden."""

    job: str | None
    name: str


class SharedNodeFigures(TypedDict):
    """How a shared node was divided [J]: by what, and how much of it is whose. `gpus`: point → part of it."""

    of_node_pct: float | None
    gpu_j: float | None
    rest_j: float | None
    node_j: float | None
    idle_j: float | None
    unattributed_j: float | None
    gpus: dict[str, float]
    cores: int | None
    of_cores: int | None
    other_jobs: int
    whole: float | None


class JobNodeFigures(TypedDict):
    """One node of a job: its energy and highest power. `missing`: the series that were not read all the time."""

    node: str
    energy_j: float | None
    method: Annotated[Literal["integral", "counter"] | None, Field(description="of its energy")]
    readings: Annotated[int, Field(description="readings inside the run")]
    power_basis: PowerBasis
    max_w: float | None
    source: str | None
    coverage: Share
    missing: list[str]
    inside: InsideJob | None
    share: SharedNodeFigures | None


class _SourceOfNode(TypedDict):
    node: str
    source: str


class FallbackStretch(_SourceOfNode, StretchAnswer):
    """A time in which another source replaced the outlets of a node."""


class WorkDone(TypedDict):
    """Work that a tag counts, and the energy of one piece of it."""

    count: float
    j_per: float | None


class ComparedEnergy(TypedDict):
    """What another method says this job took [J], and its difference from the measured energy."""

    energy_j: float
    difference_pct: float | None
    difference_from_gpus_pct: NotRequired[Annotated[float | None, MAY_BE_OMITTED]]


class JobHeadroom(TypedDict):
    """The rated power of the nodes, and what is left of it at the highest power."""

    rated_w: float | None
    headroom_w: float | None
    headroom_pct: float | None


class JobCosts(TypedDict):
    """Cost and carbon; null each without the factor."""

    cost: Cost | None
    carbon: Carbon | None


class MeasuredEnergy(TypedDict):
    """The energy of a job or of a part of its time [J], and how it was measured."""

    energy_j: float | None
    coverage: Share
    readings: Annotated[int, Field(description="readings inside the run")]
    method: Method
    by_method: Annotated[dict[str, float | None], Field(description="method → energy [J]", examples=[{"integral": 1}])]
    power_basis: PowerBasis
    source: str | None
    caliber: str
    uncertainty_pct: float | None
    k: int
    by_node: list[JobNodeFigures]


class UncertaintyBySource(TypedDict):
    """Standard uncertainties [J] of an energy: several add by kind of meter linearly, else in quadrature.

    `by_meter`: of each kind of meter; null where its maker states no accuracy. `other_j`: of the time resolution and of
    the steps of registers.
    """

    by_meter: Annotated[dict[str, float | None], Field(examples=[{"apc-rpdu2": 17320}])]
    other_j: float | None


class _JobFigures(JobHeadroom, JobCosts, MeasuredEnergy):
    """The figures of a job, each with its basis.

    `energy_j` is the sum of the nodes' energies over the covered time, `coverage` the covered share of node time.
    `uncertainty_pct` is expanded with the coverage factor `k`. `inside_j`: the part that another job includes too.
    """

    duration_s: float
    energy_kwh: float | None
    power_w: JobPowerStatistics
    load_factor: float | None
    gpu: GpuFigures | None
    by_part: EnergyByPart | None
    by_cause: EnergyByCause | None
    shared: bool
    inside_j: float
    uncertainty: UncertaintyBySource
    energy_by: EnergyMethods
    fallback: list[FallbackStretch]


class Nameplates(TypedDict):
    """Rated power × the time held [J]: of the GPUs, of whole nodes."""

    gpu_tdp: float | None
    rated: float | None


class JobFiguresStored(_JobFigures):
    """The figures of a job as they are stored."""

    nameplates: Nameplates


class JobFiguresShown(_JobFigures):
    """The figures of a job with what follows from its tags: energy per piece of work, and compared figures."""

    per: Annotated[dict[str, WorkDone], Field(description="unit → work and energy per piece", examples=[{}])]
    compared: Annotated[
        dict[str, ComparedEnergy], Field(description="`slurm`, `gpu_tdp`, `rated` → their figure", examples=[{}])
    ]


class JobSummary(JobFiguresShown):
    """The figures of a job, how often they changed, and when they were computed."""

    revision: int
    computed_at: Time
