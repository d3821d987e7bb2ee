"""Headroom of what has a breaker: PDUs, and each of their lines."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.curve import Curve, add, window
from app.domain.headroom import Circuit, headroom
from app.domain.uncertainty import Part, expanded_pct
from app.services.headroom_row import HeadroomRow, Look, Observed, by_power, number
from app.services.node_readings import caliber
from app.services.rack_power import INLET, LINE
from app.store.readings import SeriesInfo
from app.store.snapshot import Device
from collectors.frame import Quantity

_BRANCH = re.compile(r"(unit/\d+/)?branch/\d+")
_OUTLET = re.compile(r"(unit/\d+/)?outlet/\d+")


@dataclass(frozen=True)
class _Pdu:
    """A PDU, what its breaker allows, and its series: those that add up to it [W], and its lines [A, W]."""

    device: Device
    circuit: Circuit | None
    whole: Sequence[SeriesInfo]
    amps: Sequence[SeriesInfo]
    line_w: Mapping[str, SeriesInfo]


def _pdus_of(look: Look) -> list[_Pdu]:
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
                _whole(power),
                [s for s in series if s.quantity is Quantity.CURRENT and LINE.fullmatch(s.point)],
                {s.point: s for s in power if LINE.fullmatch(s.point)},
            )
        )
    return found


def _whole(power: Sequence[SeriesInfo]) -> list[SeriesInfo]:
    """What adds up to the device: its inlets, else all its branches, else all its outlets."""
    for kind in (INLET, _BRANCH, _OUTLET):
        if found := [s for s in power if kind.fullmatch(s.point)]:
            return found
    return []


def _circuit(device: Device) -> Circuit | None:
    breaker = device.breaker
    if breaker is None or breaker.volts is None:
        return None
    return Circuit(breaker.amps, breaker.volts, breaker.phases, breaker.derating)


def _limits(look: Look, pdu: _Pdu) -> HeadroomRow:
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


def _by_current(row: HeadroomRow, look: Look, curves: Sequence[Curve]) -> HeadroomRow:
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
        caliber=caliber("pdu", coverage),
    )


def _accuracy(infos: Sequence[SeriesInfo]) -> list[Part]:
    """Equal shares: the relative uncertainty of a reading of these meters."""
    return [Part(1.0, i.accuracy_pct if i.accuracy_pct is not None else math.nan, group=i.meter) for i in infos]


def pdus(look: Look) -> list[HeadroomRow]:
    """Every PDU, and every other device with a breaker."""
    rows = []
    for pdu in _pdus_of(look):
        curves = look.curves([*pdu.whole, *pdu.amps])
        inlet = window(add([curves[s.key] for s in pdu.whole]), look.start_ms, look.end_ms)
        row = by_power(_limits(look, pdu), look, inlet, "pdu", _accuracy(pdu.whole))
        rows.append(_by_current(row, look, [curves[s.key] for s in pdu.amps]))
    return rows


def phases(look: Look) -> list[HeadroomRow]:
    """Every line whose current is told."""
    rows = []
    for pdu in _pdus_of(look):
        lines = [s for amps in pdu.amps for s in (amps, pdu.line_w.get(amps.point)) if s is not None]
        curves = look.curves(lines)
        for amps in pdu.amps:
            row = HeadroomRow(
                key=f"{pdu.device.key}/{amps.point}",
                label=f"{pdu.device.title} {amps.point.rpartition('/')[2].upper()}",
                limit_a=_limits(look, pdu).limit_a,
                uncertainty_pct=number(expanded_pct(_accuracy([amps]))),
            )
            power = pdu.line_w.get(amps.point)
            observed_w = look.observed(curves[power.key])[0] if power else Observed()
            rows.append(_by_current(replace(row, observed_w=observed_w), look, [curves[amps.key]]))
    return rows
