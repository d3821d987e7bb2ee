"""Why a level of a rack cannot be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.presentation.text import names
from app.services.capacity import NotEvaluated, Unknown

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


def not_evaluated_rows(found: Sequence[NotEvaluated]) -> list[NotEvaluatedRow]:
    """Return the levels that cannot be evaluated, with the reason."""
    return [NotEvaluatedRow(one.level, reason(one.why)) for one in found]


def reason(unknown: Unknown) -> str:
    """Say why a level cannot be evaluated."""
    return _TEXT[unknown.reason].format(keys=names(list(unknown.keys), 4))
