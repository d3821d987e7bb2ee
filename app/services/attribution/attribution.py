"""The energy of a shared node, divided among the jobs that hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.energy import LONGEST_MS
from app.domain.jobs import AttributedAllocation, Attribution, attribute
from app.domain.timeseries import Curve
from app.services.attribution.gpu_claims import SLICES, held_gpus
from app.services.attribution.node_inputs import Allocations, NodeInputs, read_nodes
from app.services.attribution.sharing_jobs import owns, parties
from app.services.attribution.stores import AttributionStores
from app.services.energy import NodePower, read_node_power
from app.store.facility import Model
from collectors.contract import Quantity

_STEP_MS = 10_000
"""Length of the common intervals where nothing was ever read."""


def node_attribution(
    stores: AttributionStores, node: str, start_ms: int, end_ms: int, cuts_ms: Sequence[int] = ()
) -> Attribution:
    """Divide a node's energy in [start, end) into its jobs' shares (by our ids), idle and unattributed energy.

    Σ is the energy of `read_node_power` over any window. Intervals are also cut at `cuts_ms` (midnights).
    """
    inputs = read_nodes(stores, [(node, start_ms, end_ms)])
    return attribution_of(inputs, read_node_power(inputs, node, start_ms, end_ms), cuts_ms)


def attribution_of(inputs: NodeInputs, power: NodePower, cuts_ms: Sequence[int] = ()) -> Attribution:
    """Divide a node's energy as `node_attribution` does, of power that is known already."""
    facility = inputs.facility.at(power.start_ms)
    node = facility.nodes.get(power.node)
    model = facility.model_of(node) if node else None
    return attribute(
        power.counted,
        _gpus(power, model),
        model.cores if model else None,
        _allocations(inputs.allocations, power, (model.gpu_slices if model else None) or SLICES),
        power.start_ms,
        power.end_ms,
        _step_ms(inputs, power),
        cuts_ms,
    )


def _allocations(known: Allocations, power: NodePower, slices: int) -> list[AttributedAllocation]:
    """Return the allocations to divide among; which job is alone is decided over all the time it holds the node, not
    only inside the window.
    """
    here = known.on(power.node, power.start_ms, power.end_ms)
    if not here:
        return []
    hull = min(h.start_ms for h in here), max(h.end_ms for h in here)
    divided = parties(known.on(power.node, *hull))
    return [
        AttributedAllocation(
            job=h.job,
            start_ms=h.start_ms,
            end_ms=h.end_ms,
            gpus=None if h.part.gpus is None else held_gpus(h.part.gpus, power.gpu_labels, slices),
            cores=h.part.cores,
            exclusive=owns(h, divided),
        )
        for h in divided
        if h.start_ms < power.end_ms and power.start_ms < h.end_ms
    ]


def _gpus(power: NodePower, model: Model | None) -> Mapping[str, Curve]:
    """Return every GPU of the node: as many as its model has; without a model, those that ever reported anything."""
    silent = [point for point in power.gpu_labels if point not in power.gpus]
    if model is not None and model.gpus is not None:
        missing = max(0, model.gpus - len(power.gpus))
        silent = (silent + [f"gpu/unread-{i}" for i in range(missing)])[:missing]
    return dict(power.gpus) | {point: Curve.empty() for point in silent}


def _step_ms(inputs: NodeInputs, power: NodePower) -> int:
    """Return the interval of the slowest source that the division rests on; a register needs time for enough steps."""
    if power.power_basis != "measured":
        return LONGEST_MS
    facility = inputs.facility.at(power.start_ms)
    kinds = ["exporter", "bmc"] if power.source == "bmc" or power.fallback else ["exporter"]
    own = {device.key for kind in kinds for device in facility.devices_of(power.node, kind)}
    devices = sorted(own | {key.partition("/")[0] for key in power.feeds})
    infos = [info for info in inputs.frames.series(devices) if info.quantity is Quantity.POWER]
    used = [i.interval_ms for i in infos if i.device in own or f"{i.device}/{i.point}" in power.feeds]
    return max(used, default=_STEP_MS)
