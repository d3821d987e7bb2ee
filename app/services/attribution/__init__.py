"""Energy of shared nodes, divided among the jobs that hold them."""

from __future__ import annotations

from app.services.attribution.allocation_energy import NodeShare, gpu_parts, node_share
from app.services.attribution.attribution import attribution_of
from app.services.attribution.gpu_claims import SLICES, gpu_claim
from app.services.attribution.node_inputs import (
    Allocations,
    BatchedReadings,
    NodeInputs,
    NodeSpan,
    read_allocations,
    read_nodes,
)
from app.services.attribution.sharing_jobs import around, is_divided, others, parties, sharing_allocations
from app.services.attribution.stores import AttributionStores

__all__ = [
    "SLICES",
    "Allocations",
    "AttributionStores",
    "BatchedReadings",
    "NodeInputs",
    "NodeShare",
    "NodeSpan",
    "around",
    "attribution_of",
    "gpu_claim",
    "gpu_parts",
    "is_divided",
    "node_share",
    "others",
    "parties",
    "read_allocations",
    "read_nodes",
    "sharing_allocations",
]
