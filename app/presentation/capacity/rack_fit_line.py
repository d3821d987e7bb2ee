"""How many more nodes fit into each rack, as a line of the table of all racks."""

from __future__ import annotations

from dataclasses import dataclass

from app.presentation.capacity.not_evaluated import capacity_answer
from app.services.capacity import NoRackCapacity, RackCapacity


@dataclass(frozen=True)
class RackFitLine:
    """How many more nodes of the model that a rack holds most of fit.

    Attributes
    ----------
    binds: what limits the number, in words; empty where nothing does. stranded_w: what the rack capacity has left, less
        the margin, when another limit binds; None where it is not evaluated. why: why there is no answer; else empty.
    nodes_only: the load of the rack is that of its nodes alone; what else its PDUs carry is not known on this basis.
    """

    rack: str
    model: str
    additional_nodes: int | None
    binds: str
    stranded_w: float | None
    why: str = ""
    nodes_only: bool = False


def rack_fit_line(found: RackCapacity | NoRackCapacity) -> RackFitLine:
    """Return the line of a rack."""
    if isinstance(found, NoRackCapacity):
        return RackFitLine(found.rack, "", None, "", None, found.why)
    binds = next((row for row in capacity_answer(found).rows if row.binds), None)
    capacity = next((level for level in found.levels if level.level == "rack"), None)
    bound_elsewhere = binds is not None and binds.level != "rack"
    return RackFitLine(
        rack=found.rack,
        model=found.model,
        additional_nodes=found.additional_nodes,
        binds=binds.label if binds else "",
        stranded_w=None if capacity is None else capacity.stranded if bound_elsewhere else 0.0,
        nodes_only=capacity is not None and capacity.nodes_only,
    )
