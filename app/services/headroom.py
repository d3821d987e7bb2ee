"""Rated, usable and observed side by side, by node, rack, PDU, line or model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.domain.curve import Curve, add, window
from app.domain.headroom import Circuit, headroom
from app.domain.statistics import statistics
from app.domain.uncertainty import K, Part, expanded_pct
from app.errors import Invalid
from app.services.context import Context
from app.services.node_power import NodePower, Source, curve_of, node_power
from app.services.rack_power import INLET, LINE, rack_totals
from app.store.readings import SeriesInfo
from app.store.snapshot import Device, Facility, Node
from collectors.frame import Quantity

LevelName = Literal["node", "rack", "pdu", "phase", "model"]
DAY_MS = 86_400_000


@dataclass(frozen=True)
class Observed:
    """What was measured over the window, in the unit of the thing; None where nothing was."""

    max: float | None = None
    p99: float | None = None
    median: float | None = None


@dataclass(frozen=True, kw_only=True)
class HeadroomRow:
    """One thing and its limits. `observed_a` is of the most loaded line.

    Attributes
    ----------
    usable_w, usable_va, limit_a: what may be drawn: W where a budget or capacity says so, VA and A per line (derated)
        where a breaker does.
    headroom_w, headroom_pct: what is left at the observed maximum, in W where there is a limit in W, else (only in %)
        of the current of the most loaded line.
    """

    key: str
    label: str
    rated_w: float | None = None
    budget_w: float | None = None
    usable_w: float | None = None
    usable_va: float | None = None
    limit_a: float | None = None
    observed_w: Observed = Observed()
    observed_a: Observed = Observed()
    headroom_w: float | None = None
    headroom_a: float | None = None
    headroom_pct: float | None = None
    coverage: float = 0.0
    max_at_ms: int | None = None
    source: str | None = None
    method: str = "integral"
    caliber: str = "unavailable"
    uncertainty_pct: float | None = None
    k: int = int(K)


@dataclass(frozen=True)
class _Look:
    """What is asked: the facility as it stands at the end of the window, and the window."""

    context: Context
    facility: Facility
    start_ms: int
    end_ms: int

    def observed(self, curve: Curve) -> tuple[Observed, float, int | None]:
        """Figures of a curve, its coverage, and when its maximum was."""
        found = statistics(curve, self.start_ms, self.end_ms)
        figures = Observed(*(_number(x) for x in (found.max, found.p99, found.median)))
        return figures, found.covered_ms / (self.end_ms - self.start_ms), found.max_at_ms

    def curves(self, infos: Sequence[SeriesInfo]) -> dict[str, Curve]:
        """The curves of series."""
        samples = self.context.frames.read([info.key for info in infos], self.start_ms, self.end_ms)
        return {key: curve_of(found) for key, found in samples.items()}


def headroom_rows(context: Context, level: LevelName, start_ms: int | None, end_ms: int | None) -> list[HeadroomRow]:
    """One row for every thing of a level, over a window (by default the last 24 h).

    Raises
    ------
    Invalid
        The window ends before it starts.
    """
    end_ms = context.now_ms() if end_ms is None else end_ms
    start_ms = end_ms - DAY_MS if start_ms is None else start_ms
    if end_ms <= start_ms:
        raise Invalid("the window ends before it starts", "give from < to", code="bad_window")
    return _LEVELS[level](_Look(context, context.facility.at(end_ms), start_ms, end_ms))


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None


def _by_power(row: HeadroomRow, look: _Look, curve: Curve, source: str | None, parts: Sequence[Part]) -> HeadroomRow:
    """The row with what was observed [W], held against its rating, else against what is usable."""
    observed, coverage, max_at_ms = look.observed(curve)
    limit = row.rated_w if row.rated_w is not None else row.usable_w
    left = headroom(limit, observed.max) if limit and observed.max is not None else None
    return replace(
        row,
        observed_w=observed,
        headroom_w=left.w if left else None,
        headroom_pct=left.pct if left else None,
        coverage=coverage,
        max_at_ms=max_at_ms,
        source=source,
        caliber=_caliber(source, coverage),
        uncertainty_pct=_number(expanded_pct(parts)),
    )


def _caliber(source: str | None, coverage: float) -> str:
    if not coverage:
        return "unavailable"
    return "estimated" if source == "components" else "actual"


def _node_row(look: _Look, node: Node, power: NodePower) -> HeadroomRow:
    model = look.facility.model_of(node)
    rated, budget = (model.rated_w, model.budget_w) if model else (None, None)
    row = HeadroomRow(key=node.key, label=node.title, rated_w=rated, budget_w=budget, usable_w=budget or rated)
    return _by_power(row, look, power.total, power.source, power.parts)


def _nodes(look: _Look) -> list[HeadroomRow]:
    return [
        _node_row(look, node, node_power(look.context, node.key, look.start_ms, look.end_ms))
        for node in look.facility.nodes.values()
    ]


def _racks(look: _Look) -> list[HeadroomRow]:
    totals = rack_totals(look.context, look.facility, list(look.facility.racks), look.start_ms, look.end_ms)
    rows = []
    for rack in look.facility.racks.values():
        total = totals[rack.key]
        parts = [part for power in total.nodes.values() for part in power.parts]
        row = HeadroomRow(key=rack.key, label=rack.title, rated_w=rack.capacity_w, usable_w=rack.capacity_w)
        sources: set[Source | None] = {power.source for power in total.nodes.values()}
        source = "pdu" if total.basis == "inlets" else next(iter(sources)) if len(sources) == 1 else None
        rows.append(_by_power(row, look, total.total, source, parts))
    return rows


def _models(look: _Look) -> list[HeadroomRow]:
    """Each model by the node that came closest to its rating."""
    by_model: dict[str, list[HeadroomRow]] = {}
    for node, row in zip(look.facility.nodes.values(), _nodes(look), strict=True):
        if node.model in look.facility.models:
            by_model.setdefault(str(node.model), []).append(row)
    rows = []
    for key, nodes in sorted(by_model.items()):
        worst = max(nodes, key=lambda row: row.observed_w.max or -math.inf)
        observed = Observed(*(_highest(nodes, name) for name in ("max", "p99", "median")))
        coverage = sum(row.coverage for row in nodes) / len(nodes)
        label = look.facility.models[key].title
        rows.append(replace(worst, key=key, label=label, observed_w=observed, coverage=coverage))
    return rows


def _highest(rows: Sequence[HeadroomRow], name: str) -> float | None:
    return max((v for row in rows if (v := getattr(row.observed_w, name)) is not None), default=None)


@dataclass(frozen=True)
class _Pdu:
    """A PDU, what its breaker allows, and its series: whole inlets [W] and lines [A, W]."""

    device: Device
    circuit: Circuit | None
    inlets: Sequence[SeriesInfo]
    amps: Sequence[SeriesInfo]
    line_w: Mapping[str, SeriesInfo]


def _pdus_of(look: _Look) -> list[_Pdu]:
    found = []
    for device in look.facility.devices.values():
        if device.kind != "pdu" and device.breaker is None:
            continue
        series = look.context.frames.series(device.key)
        power = [s for s in series if s.quantity is Quantity.POWER]
        found.append(
            _Pdu(
                device,
                _circuit(device),
                [s for s in power if INLET.fullmatch(s.point)],
                [s for s in series if s.quantity is Quantity.CURRENT and LINE.fullmatch(s.point)],
                {s.point: s for s in power if LINE.fullmatch(s.point)},
            )
        )
    return found


def _circuit(device: Device) -> Circuit | None:
    breaker = device.breaker
    if breaker is None or breaker.volts is None:
        return None
    return Circuit(breaker.amps, breaker.volts, breaker.phases, breaker.derating)


def _limits(look: _Look, pdu: _Pdu) -> HeadroomRow:
    model = look.facility.model_of(pdu.device)
    breaker = pdu.device.breaker
    return HeadroomRow(
        key=pdu.device.key,
        label=pdu.device.title,
        rated_w=model.rated_w if model else None,
        budget_w=model.budget_w if model else None,
        usable_w=(model.budget_w or model.rated_w) if model else None,
        usable_va=pdu.circuit.limit_va if pdu.circuit else None,
        limit_a=breaker.amps * breaker.derating if breaker else None,
    )


def _by_current(row: HeadroomRow, look: _Look, curves: Sequence[Curve]) -> HeadroomRow:
    """The row with the currents of its lines, held against the breaker; the most loaded line counts."""
    seen = [look.observed(curve) for curve in curves]
    amps = [(figures, coverage, at) for figures, coverage, at in seen if figures.max is not None]
    if not amps:
        return row
    worst, coverage, at_ms = max(amps, key=lambda one: one[0].max or 0.0)
    left = headroom(row.limit_a, worst.max) if row.limit_a and worst.max is not None else None
    return replace(
        row,
        observed_a=worst,
        headroom_a=left.w if left else None,
        headroom_pct=left.pct if left else row.headroom_pct,
        coverage=coverage,
        max_at_ms=at_ms,
        source="pdu",
        caliber=_caliber("pdu", coverage),
    )


def _accuracy(infos: Sequence[SeriesInfo]) -> list[Part]:
    """Equal shares: the relative uncertainty of a reading of these meters."""
    return [Part(1.0, i.accuracy_pct if i.accuracy_pct is not None else math.nan, group=i.meter) for i in infos]


def _pdus(look: _Look) -> list[HeadroomRow]:
    rows = []
    for pdu in _pdus_of(look):
        curves = look.curves([*pdu.inlets, *pdu.amps])
        inlet = window(add([curves[s.key] for s in pdu.inlets]), look.start_ms, look.end_ms)
        row = _by_power(_limits(look, pdu), look, inlet, "pdu", _accuracy(pdu.inlets))
        rows.append(_by_current(row, look, [curves[s.key] for s in pdu.amps]))
    return rows


def _phases(look: _Look) -> list[HeadroomRow]:
    rows = []
    for pdu in _pdus_of(look):
        lines = [s for amps in pdu.amps for s in (amps, pdu.line_w.get(amps.point)) if s is not None]
        curves = look.curves(lines)
        for amps in pdu.amps:
            row = HeadroomRow(
                key=f"{pdu.device.key}/{amps.point}",
                label=f"{pdu.device.title} {amps.point.rpartition('/')[2].upper()}",
                limit_a=_limits(look, pdu).limit_a,
                uncertainty_pct=_number(expanded_pct(_accuracy([amps]))),
            )
            power = pdu.line_w.get(amps.point)
            observed_w = look.observed(curves[power.key])[0] if power else Observed()
            rows.append(_by_current(replace(row, observed_w=observed_w), look, [curves[amps.key]]))
    return rows


_LEVELS: Mapping[LevelName, Callable[[_Look], list[HeadroomRow]]] = {
    "node": _nodes,
    "rack": _racks,
    "pdu": _pdus,
    "phase": _phases,
    "model": _models,
}
