"""The energy of a shared node, divided among the jobs that hold it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.domain.jobs import AttributedAllocation, Attribution, attribute
from app.domain.timeseries import Curve
from app.services.attribution.gpu_claims import SLICES, held_gpus
from app.services.attribution.sharing_jobs import owns, parties, sharing_allocations
from app.services.attribution.stores import AttributionStores
from app.services.energy import NodePower, read_node_power
from app.store.facility import Model
from collectors.contract import Quantity

_STEP_MS = 10_000
"""Where nothing was ever read."""


def node_attribution(
    stores: AttributionStores, node: str, start_ms: int, end_ms: int, cuts_ms: Sequence[int] = ()
) -> Attribution:
    """A node's energy in [start, end) divided into its jobs' shares (by our ids), idle and unattributed.

    Σ is the energy of `node_power` over any window. `cuts_ms`: moments (midnights) at which intervals are cut too.
    """
    return attribution_of(stores, read_node_power(stores, node, start_ms, end_ms), cuts_ms)


def attribution_of(stores: AttributionStores, power: NodePower, cuts_ms: Sequence[int] = ()) -> Attribution:
    """As `node_attribution`, of a node's power that is known already."""
    facility = stores.facility.at(power.start_ms)
    node = facility.nodes.get(power.node)
    model = facility.model_of(node) if node else None
    return attribute(
        power.total,
        _gpus(power, model),
        model.cores if model else None,
        _holdings(stores, power, (model.gpu_slices if model else None) or SLICES),
        power.start_ms,
        power.end_ms,
        _step_ms(stores, power),
        cuts_ms,
    )


def _holdings(stores: AttributionStores, power: NodePower, slices: int) -> list[AttributedAllocation]:
    """Who is alone is seen over all the time he holds the node, not only inside the window."""
    here = sharing_allocations(stores, [power.node], power.start_ms, power.end_ms).get(power.node, [])
    if not here:
        return []
    hull = min(h.start_ms for h in here), max(h.end_ms for h in here)
    divided = parties(sharing_allocations(stores, [power.node], *hull)[power.node])
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
    """Every GPU of the node. Its model tells how many there are; without it, those that ever told anything."""
    silent = [point for point in power.gpu_labels if point not in power.gpus]
    if model is not None and model.gpus is not None:
        missing = max(0, model.gpus - len(power.gpus))
        silent = (silent + [f"gpu/unread-{i}" for i in range(missing)])[:missing]
    return dict(power.gpus) | {point: Curve.empty() for point in silent}


def _step_ms(stores: AttributionStores, power: NodePower) -> int:
    """The interval of the slowest source that the division rests on."""
    facility = stores.facility.at(power.start_ms)
    kinds = ["exporter", "bmc"] if power.source == "bmc" or power.fallback else ["exporter"]
    own = {device.key for kind in kinds for device in facility.devices_of(power.node, kind)}
    devices = sorted(own | {key.partition("/")[0] for key in power.feeds})
    infos = [info for device in devices for info in stores.frames.series(device) if info.quantity is Quantity.POWER]
    told = [info.interval_ms for info in infos if info.device in own or f"{info.device}/{info.point}" in power.feeds]
    return max(told, default=_STEP_MS)
