"""Why a level of a rack cannot be evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from app.presentation.capacity.fit_text import (
    AdditionAnswer,
    FitRow,
    addition_answer,
    fit_basis,
    fit_row,
    fit_sentence,
    unknown_row,
)
from app.presentation.text import names, span
from app.services.capacity import RackCapacity, RackFit, Unknown, addition_of

_TEXT = {
    "no_capacity": "capacity_w of the rack is not declared",
    "no_power": "the power of {keys} is not known on this basis",
    "one_feed": "the nodes have cords to one feed only: when it fails, they lose power",
    "no_feed": "no feed can fail here",
    "no_height": "height_u of the rack or the model, or the position of a node, is not declared",
    "no_outlets": "no PDU of the rack reports outlets of the type of the model, or no node of this model has cords",
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
    """How many more nodes fit, and the levels that cannot be evaluated with the reason; those limit nothing.

    Attributes
    ----------
    sentence, basis_text: the answer and its basis in words. rows: every level in words, in the order of `levels`.
    asked: whether the requested number fits.
    """

    not_evaluated: Sequence[NotEvaluatedRow]
    sentence: str
    basis_text: str
    rows: Sequence[FitRow]
    asked: AdditionAnswer | None = None


def capacity_answer(found: RackCapacity, count: int | None = None) -> CapacityAnswer:
    """Return how many more nodes fit into a rack, and whether `count` do."""
    fit = {field.name: getattr(found, field.name) for field in fields(RackFit)}
    unknown = [NotEvaluatedRow(one.level, reason(one.why)) for one in found.not_evaluated]
    known_rows = [fit_row(found, level) for level in found.levels]
    return CapacityAnswer(
        **fit,
        not_evaluated=unknown,
        sentence=fit_sentence(found),
        basis_text=fit_basis(found, span(found.window.length_ms / 1000)),
        rows=[*known_rows, *(unknown_row(one.level, one.why) for one in unknown)],
        asked=addition_answer(addition_of(found, count)) if count else None,
    )


def reason(unknown: Unknown) -> str:
    """Say why a level cannot be evaluated."""
    return _TEXT[unknown.reason].format(keys=names(list(unknown.keys), 4))
