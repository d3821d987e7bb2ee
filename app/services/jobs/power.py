"""Compute the power of a job: its nodes, each over the time the job held it, and their sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from app.domain.energy import EnergyFigure, NodeEnergy, TotalEnergy, energy_j, is_coarse, total_energy
from app.domain.timeseries import Curve, Member, scale, sum_while_present
from app.services.attribution import (
    NodeInputs,
    NodeShare,
    around,
    gpu_parts,
    is_divided,
    node_share,
    others,
    parties,
    read_allocations,
    read_nodes,
)
from app.services.energy import NodePower, PowerBasis, read_node_power
from app.services.jobs.masking import require_in_full, shown_names
from app.services.jobs.stores import JobStores
from app.store.facility import FacilityStore, Model
from app.store.jobs import Allocation, Job, JobNode


@dataclass(frozen=True)
class JobPart:
    """A node's part in a job.

    Attributes
    ----------
    power: the whole node while the job held it.
    own: the job's power [W]: the node's, or its share of it.
    share: how the node was divided; None where the job has all of it.
    gpu_parts: point → the part of each GPU it holds, 0…1.
    inside: the job inside which this one runs; the energy is that one's. What it shares the node by is that one's too.
    """

    node: JobNode
    power: NodePower
    own: Curve
    share: NodeShare | None
    gpu_parts: Mapping[str, float]
    inside: Allocation | None

    @cached_property
    def gpus(self) -> dict[str, Curve]:
        """Point → power of the GPUs it holds [W], a part of it where it holds slices."""
        own = self.gpu_parts
        return {point: _scaled(curve, own[point]) for point, curve in self.power.gpus.items() if point in own}

    @cached_property
    def gpu_utilization(self) -> dict[str, Curve]:
        """Point → utilization of the whole of each GPU it holds [%]."""
        return {point: curve for point, curve in self.power.gpu_utilization.items() if point in self.gpu_parts}

    @cached_property
    def energy(self) -> NodeEnergy:
        """Return what the job gets of the node, by each method; a share is by that of the node's power."""
        power, share = self.power, self.share
        if share is None:
            return power.energy
        of_node = power.energy.by("counter" if power.energy.integral is None else "integral")
        readings = of_node.readings if of_node else 0
        figure = EnergyFigure(share.energy_j, share.known_ms, share.parts, share.time_j, readings)
        return NodeEnergy(self.span_ms, figure) if power.energy.integral else NodeEnergy(self.span_ms, None, figure)

    @property
    def energy_j(self) -> float:
        """Return what the job gets of the node by the method with the smaller bound [J]; nothing covered is 0."""
        found = self.energy.by(self.energy.method)
        return found.energy_j if found else 0.0

    @property
    def integral_j(self) -> float:
        """Return the integral of the job's power [J], which its division by part and cause is of."""
        if self.share is not None:
            return self.share.energy_j
        return energy_j(self.power.counted, self.power.start_ms, self.power.end_ms)

    @property
    def covered_ms(self) -> int:
        """Return for how much of the time the energy is known [ms]."""
        found = self.energy.by(self.energy.method)
        return found.covered_ms if found else 0

    @property
    def span_ms(self) -> int:
        """How long the job held the node [ms]."""
        return self.power.end_ms - self.power.start_ms


@dataclass(frozen=True)
class JobPower:
    """The power of a job in [start_ms, end_ms]; for a running job until now.

    Attributes
    ----------
    inputs: what it was computed from.
    total: sum of its parts [W], defined where every node the job held then is covered.
    rated_w, control_w: nameplates and control runs of the nodes together; None where one is not known, and where a node
        is shared: they are not of a share.
    """

    job: Job
    start_ms: int
    end_ms: int
    inputs: NodeInputs
    parts: Sequence[JobPart]
    total: Curve
    rated_w: float | None
    control_w: float | None

    @property
    def is_shared(self) -> bool:
        """Whether any of its nodes is divided."""
        return any(part.share is not None for part in self.parts)

    @cached_property
    def energy(self) -> TotalEnergy:
        """Return the energy of the job, of each node by the method with the smaller bound."""
        found = total_energy([part.energy for part in self.parts])
        assert found is not None
        return found

    @property
    def power_basis(self) -> PowerBasis:
        """Return whether its power was measured, or derived from registers."""
        bases: set[PowerBasis] = {part.power.power_basis for part in self.parts if len(part.own)}
        return bases.pop() if len(bases) == 1 else "mixed" if bases else "measured"

    @property
    def is_coarse(self) -> bool:
        """Return whether the registers that its power is derived from have too few steps for a maximum."""
        steps = [sum(p.power.derived.values()) for p in self.parts if p.power.power_basis != "measured"]
        return bool(steps) and len(self.total) > 0 and is_coarse(float(self.total.v.max()), sum(steps))

    def span_at(self, t_ms: int) -> int:
        """Return over how long the power at a time is a mean [ms]; 0 where it was measured."""
        return max((part.power.span_at(t_ms) for part in self.parts), default=0)


@dataclass(frozen=True)
class JobInputs:
    """What the power of a job is computed from.

    first_ms, last_ms: when the job ran. start_ms, end_ms: the window that is looked at.
    """

    job: Job
    first_ms: int
    last_ms: int
    start_ms: int
    end_ms: int
    nodes: NodeInputs

    def without_readings(self) -> JobInputs:
        """Return the same with no reading."""
        return replace(self, nodes=self.nodes.without_readings())


def job_window(stores: JobStores, job: Job) -> tuple[int, int]:
    """Return when a job ran [ms]; a running one until now."""
    end_ms = stores.now_ms() if job.end_ms is None else job.end_ms
    return job.start_ms, max(job.start_ms, end_ms)


def read_job(
    stores: JobStores, job: Job, start_ms: int | None = None, end_ms: int | None = None, *, beyond: bool = False
) -> JobInputs:
    """Read what the power of a job, or of a part of its time, is computed from.

    With `beyond` the window may begin before the job and end after it.
    """
    first, last = job_window(stores, job)
    start_ms = first if start_ms is None else start_ms
    end_ms = last if end_ms is None else end_ms
    if not beyond:
        start_ms, end_ms = max(first, start_ms), min(last, end_ms)
    spans = [(node.node, *held(node, start_ms, end_ms)) for node in job.nodes]
    spans = [span for span in spans if span[1] < span[2]]
    from_ms, to_ms = min([first, *(s[1] for s in spans)]), max([last, first + 1, *(s[2] for s in spans)])
    allocations = read_allocations(stores, [node.node for node in job.nodes], from_ms, to_ms)
    return JobInputs(job, first, last, start_ms, end_ms, read_nodes(stores, spans, allocations))


def job_power(
    stores: JobStores, job: Job, start_ms: int | None = None, end_ms: int | None = None, *, beyond: bool = False
) -> JobPower:
    """Read and compute the power of a job, or of a part of its time.

    Raises
    ------
    Forbidden
        It is a job of another user, whose curve is masked.
    """
    require_in_full(job)
    power = power_of(read_job(stores, job, start_ms, end_ms, beyond=beyond))
    return power if stores.jobs.view.is_open else _with_shown_names(stores, power)


def _with_shown_names(stores: JobStores, power: JobPower) -> JobPower:
    """Return the power of a job with the names of those in which it runs as the user sees them."""
    names = shown_names(stores, {part.inside.job for part in power.parts if part.inside})
    parts = [
        replace(part, inside=replace(part.inside, name=names[part.inside.job])) if part.inside else part
        for part in power.parts
    ]
    return replace(power, parts=parts)


def power_of(inputs: JobInputs) -> JobPower:
    """Compute the power of a job."""
    job, nodes, last_ms = inputs.job, inputs.nodes, max(inputs.last_ms, inputs.first_ms + 1)
    parts = []
    for node in job.nodes:
        begin, end = held(node, inputs.start_ms, inputs.end_ms)
        if begin < end:
            mine = _mine(job, node, inputs.first_ms, inputs.last_ms)
            on_node = nodes.allocations.on(node.node, inputs.first_ms, last_ms)
            parts.append(_part(nodes, mine, on_node, read_node_power(nodes, node.node, begin, end)))
    total = sum_while_present([Member(p.own, p.power.start_ms, p.power.end_ms) for p in parts])
    rated_w, control_w = (_of_models(nodes.facility, job, parts, name) for name in ("rated_w", "control_w"))
    return JobPower(job, inputs.start_ms, inputs.end_ms, nodes, parts, total, rated_w, control_w)


def divided_nodes(stores: JobStores, job: Job) -> frozenset[str]:
    """Return the nodes of a job that it shares with others."""
    first, last = job_window(stores, job)
    last = max(last, first + 1)
    known = read_allocations(stores, [node.node for node in job.nodes], first, last)
    mine = [_mine(job, node, first, last) for node in job.nodes]
    return frozenset(one.part.node for one in mine if is_divided(one, known.on(one.part.node, first, last)))


def held(node: JobNode, start_ms: int, end_ms: int) -> tuple[int, int]:
    """Return when a job held a node, inside a window [ms]."""
    begin = start_ms if node.start_ms is None else max(start_ms, node.start_ms)
    return begin, end_ms if node.end_ms is None else min(end_ms, node.end_ms)


def model_at(facility_store: FacilityStore, node: str, t_ms: int) -> Model | None:
    """Return the model of a node at a moment."""
    facility = facility_store.at(t_ms)
    known = facility.nodes.get(node)
    return facility.model_of(known) if known else None


def _part(nodes: NodeInputs, mine: Allocation, on_node: Sequence[Allocation], power: NodePower) -> JobPart:
    outer = around(mine, on_node)
    divided = is_divided(mine, on_node)
    holding = outer if divided and outer else mine
    met = others(holding, parties(on_node)) if divided else []
    model = model_at(nodes.facility, power.node, power.start_ms)
    slices = model.gpu_slices if model else None
    own = gpu_parts(holding.part, met, power.gpu_labels, slices)
    several = len({other.job for other in met})
    share = node_share(nodes, holding.job, power, model, own, several) if divided else None
    return JobPart(
        holding.part,
        power,
        power.total if share is None else share.curve,
        share,
        own,
        outer,
    )


def _mine(job: Job, node: JobNode, first_ms: int, last_ms: int) -> Allocation:
    return Allocation(job.id, job.name, node, *held(node, first_ms, last_ms), job.job_id, job.within)


def _scaled(curve: Curve, part: float) -> Curve:
    return curve if part == 1.0 else scale(curve, part)


def _of_models(facility: FacilityStore, job: Job, parts: Sequence[JobPart], name: str) -> float | None:
    if any(part.share is not None for part in parts):
        return None
    models = [model_at(facility, node, job.start_ms) for node in {node.node for node in job.nodes}]
    known = [w for model in models if model and (w := getattr(model, name)) is not None]
    return sum(known) if known and len(known) == len(models) else None
