"""Why a level of a rack cannot be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from app.presentation.text import names
from app.services.capacity import RackCapacity, RackFit, Unknown

_TEXT = {
    "no_capacity": "capacity_w of the rack is not declared",
    "no_power": "the power of {keys} is not known on this basis",
    "one_feed": "the nodes have cords to one feed only: when it fails, they lose power",
    "no_feed": "no feed can fail here",
    "no_height": "height_u of the rack or the model, or the position of a node, is not declared",
    "no_outlets": "no PDU of the rack reports outlets, or no node of this model has cords",
    "no_cords": "no node of this model has a cord to a PDU with a breaker and a voltage here",
    "no_load": "the load of {keys} is not known on this basis",
    "no_increment": "what one more node adds is not known",
}


@dataclass(frozen=True)
class NotEvaluatedRow:
    """A level that cannot be evaluated, and why."""

    level: str
    why: str


@dataclass(frozen=True)
class CapacityAnswer(RackFit):
    """How many more nodes fit, and the levels that cannot be evaluated with the reason; those limit nothing."""

    not_evaluated: Sequence[NotEvaluatedRow]


def capacity_answer(found: RackCapacity) -> CapacityAnswer:
    """Return how many more nodes fit into a rack."""
    fit = {field.name: getattr(found, field.name) for field in fields(RackFit)}
    return CapacityAnswer(
        **fit, not_evaluated=[NotEvaluatedRow(one.level, reason(one.why)) for one in found.not_evaluated]
    )


def reason(unknown: Unknown) -> str:
    """Say why a level cannot be evaluated."""
    return _TEXT[unknown.reason].format(keys=names(list(unknown.keys), 4))
