"""The choice between the integral of power and the energy registers, node by node.

Summaries, accounts, studies, reports and pages take an energy and its method from here.
Source: docs/semantics.md, "Which energy is the headline".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from app.domain.energy.uncertainty import Part, UncertaintyParts, standard, standard_parts

Method = Literal["integral", "counter"]
TotalMethod = Literal["integral", "counter", "mixed"]
FEW_READINGS = 10
"""Fewer readings inside a window are worth a note."""
_UNKNOWN = UncertaintyParts({}, math.nan)


@dataclass(frozen=True, slots=True)
class EnergyFigure:
    """One figure of a node's energy.

    Attributes
    ----------
    energy_j: [J]. covered_ms: for how much of the time [ms].
    parts: the contribution of each meter. time_j: standard uncertainty from the time resolution [J].
    readings: how many readings of its least read meter are inside the window.
    has_event: a register was reset or set inside the window.
    """

    energy_j: float
    covered_ms: int
    parts: Sequence[Part] = ()
    time_j: float = 0.0
    readings: int = 0
    has_event: bool = False


@dataclass(frozen=True, slots=True)
class NodeEnergy:
    """Energy of a node over `span_ms` by each method that it has; None: no meter reports it."""

    span_ms: int
    integral: EnergyFigure | None
    counter: EnergyFigure | None = None

    @property
    def method(self) -> Method:
        """Return the method with the smaller stated bound."""
        return chosen(self)

    def by(self, method: Method) -> EnergyFigure | None:
        """Return the figure of a method; None where nothing of it is covered."""
        found = self.integral if method == "integral" else self.counter
        return found if found is not None and found.covered_ms else None


@dataclass(frozen=True, slots=True)
class TotalEnergy:
    """Energy of several nodes.

    Attributes
    ----------
    energy_j: [J]. coverage: node time covered / wanted.
    by_method: the energy that each method contributed [J].
    readings: of the node with the fewest, among those that are covered.
    uncertainty: standard uncertainty; NaN where a meter states no accuracy.
    """

    energy_j: float
    coverage: float
    by_method: Mapping[Method, float] = field(default_factory=dict)
    readings: int = 0
    uncertainty: UncertaintyParts = _UNKNOWN

    @property
    def method(self) -> TotalMethod:
        """Return the method, or `mixed`."""
        if len(self.by_method) > 1:
            return "mixed"
        return next(iter(self.by_method), "integral")


def chosen(node: NodeEnergy) -> Method:
    """Return whichever of counter and integral has the smaller stated bound; the integral where they are equal.

    A register with an event inside is out, unless nothing else was measured. For the choice alone, time without
    coverage counts as unknown energy, and an accuracy that only one of the two states is left out of both.
    """
    integral, counter = node.by("integral"), node.by("counter")
    if integral is None or counter is None:
        return "integral" if counter is None else "counter"
    if counter.has_event:
        return "integral"
    stated = not any(math.isnan(part.gain) for figure in (integral, counter) for part in figure.parts)
    bounds = [_bound(figure, node.span_ms, accuracy=stated) for figure in (integral, counter)]
    return "counter" if bounds[1] < bounds[0] else "integral"


def _bound(figure: EnergyFigure, span_ms: int, *, accuracy: bool) -> float:
    """Return the bound of a figure relative to its energy; infinite where it cannot be stated."""
    joules = abs(figure.energy_j)
    if not joules:
        return math.inf
    own = standard(figure.parts, figure.time_j) if accuracy else _without_accuracy(figure)
    found = math.hypot(own / joules, 1.0 - figure.covered_ms / span_ms)
    return math.inf if math.isnan(found) else found


def _without_accuracy(figure: EnergyFigure) -> float:
    return math.hypot(figure.time_j, *(part.ends for part in figure.parts))


def total_energy(nodes: Sequence[NodeEnergy], method: Method | None = None) -> TotalEnergy | None:
    """Return the sum of the nodes, each by its own method, or all by `method`.

    None where a node has no figure by `method` although the other one covers it.
    """
    found: list[tuple[Method, EnergyFigure]] = []
    for node in nodes:
        by = method or node.method
        figure = node.by(by)
        if figure is not None:
            found.append((by, figure))
        elif node.by(node.method) is not None:
            return None
    wanted = sum(node.span_ms for node in nodes)
    methods: dict[Method, list[float]] = {}
    for by, figure in found:
        methods.setdefault(by, []).append(figure.energy_j)
    parts = [part for _, figure in found for part in figure.parts]
    return TotalEnergy(
        math.fsum(figure.energy_j for _, figure in found),
        sum(figure.covered_ms for _, figure in found) / wanted if wanted else 0.0,
        {by: math.fsum(joules) for by, joules in methods.items()},
        min((figure.readings for _, figure in found), default=0),
        standard_parts(parts, *(f.time_j for _, f in found)) if found else _UNKNOWN,
    )
