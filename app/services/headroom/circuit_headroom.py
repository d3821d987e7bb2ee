"""Headroom of PDUs, other devices with a breaker, their lines, and the feeds of rooms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.capacity import Circuit, dead_lines, headroom
from app.domain.energy import expanded_pct
from app.domain.timeseries import Curve, add, window
from app.services.energy import LINE, caliber, parts_of_pdu, power_series
from app.services.headroom.groups import feed_subject, pdu_subject, pdus_by_feed
from app.services.headroom.headroom_row import (
    HeadroomContext,
    HeadroomRow,
    ObservedLoad,
    Seen,
    accuracy,
    by_power,
    derived_from,
    number,
    of_reading,
)
from app.store.facility import Device
from app.store.timeseries import SeriesInfo
from collectors.contract import Quantity


@dataclass(frozen=True)
class _Pdu:
    """A PDU, its circuit, and its series: those that add up to it [W], and its lines [A, W]."""

    device: Device
    circuit: Circuit | None
    whole: Sequence[SeriesInfo]
    amps: Sequence[SeriesInfo]
    line_w: Mapping[str, SeriesInfo]
    line_v: Mapping[str, SeriesInfo]

    @property
    def subject(self) -> str:
        """Return the subject of its power."""
        return pdu_subject(self.device.key)


def _pdus_of(context: HeadroomContext) -> list[_Pdu]:
    by_device: dict[str, list[SeriesInfo]] = defaultdict(list)
    for info in context.stores.frames.series():
        by_device[info.device].append(info)
    found = []
    for device in context.facility.devices.values():
        if device.kind != "pdu" and device.breaker is None:
            continue
        series = by_device[device.key]
        power = power_series(series, lambda _: True)
        found.append(
            _Pdu(
                device,
                _circuit(device),
                parts_of_pdu(power),
                [s for s in series if s.quantity is Quantity.CURRENT and LINE.fullmatch(s.point)],
                {s.point: s for s in power if s.quantity is Quantity.POWER and LINE.fullmatch(s.point)},
                {s.point: s for s in series if s.quantity is Quantity.VOLTAGE and LINE.fullmatch(s.point)},
            )
        )
    return found


def _circuit(device: Device) -> Circuit | None:
    breaker = device.breaker
    if breaker is None or breaker.volts is None:
        return None
    return Circuit(breaker.amps, breaker.volts, breaker.phases, breaker.derating)


def _limits(context: HeadroomContext, pdu: _Pdu) -> HeadroomRow:
    model = context.facility.model_of(pdu.device)
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


def _by_current(row: HeadroomRow, lines: Sequence[Seen]) -> HeadroomRow:
    """Return the row with the current of its most loaded line, compared with the breaker."""
    amps = [seen for seen in lines if seen.figures.max is not None]
    if not amps:
        return row
    most = max(amps, key=lambda seen: seen.figures.max or 0.0)
    worst = most.figures
    left = headroom(row.limit_a, worst.max) if row.limit_a and worst.max is not None else None
    return replace(
        row,
        observed_a=worst,
        headroom_a=left.w if left else None,
        headroom_pct=left.pct if left else row.headroom_pct,
        coverage=most.coverage,
        max_at_ms=most.max_at_ms,
        basis=most.basis,
        quantiles_within_pct=most.quantiles_within_pct,
        source="pdu",
        caliber=caliber("pdu", most.coverage),
    )


class _Observations:
    """What was observed of PDUs and lines: in the minutes where there are many or long ones, else in the samples."""

    def __init__(self, context: HeadroomContext, found: Sequence[_Pdu]) -> None:
        self._context = context
        self._tier: dict[str, Seen] = {}
        read = [s for pdu in found for s in (*pdu.whole, *pdu.amps, *pdu.line_w.values())]
        if context.prefers_minutes(sum(len(pdu.amps) + 1 for pdu in found)):
            lines = [f"line/{s.key}" for pdu in found for s in (*pdu.amps, *pdu.line_w.values())]
            self._tier = context.in_minutes([*lines, *(pdu.subject for pdu in found if pdu.whole)])
            read = []
        self._curves = context.curves(read)

    def whole(self, pdu: _Pdu) -> Seen:
        """Return the power of a PDU."""
        if (seen := self._tier.get(pdu.subject)) is not None:
            return seen
        return self._context.observed(self._curve(pdu))

    def together(self, groups: Mapping[str, Sequence[_Pdu]]) -> dict[str, Seen]:
        """Return the power of the PDUs of each feed, added at each time; a sum is known while all of them are."""
        minutes = {key: [pdu.subject for pdu in pdus if pdu.subject in self._tier] for key, pdus in groups.items()}
        sums = self._context.sums({feed_subject(key): members for key, members in minutes.items() if members})
        found = {}
        for key, pdus in groups.items():
            rest = [self._curve(pdu) for pdu in pdus if pdu.subject not in self._tier]
            curves = [sums[feed_subject(key)], *rest] if minutes[key] else rest
            seen = self._context.observed(add(curves))
            found[key] = seen._replace(basis="minutes") if minutes[key] else seen
        return found

    def _curve(self, pdu: _Pdu) -> Curve:
        total = add([self._curves[info.key] for info in pdu.whole])
        return window(total, self._context.start_ms, self._context.end_ms)

    def lines(self, infos: Sequence[SeriesInfo]) -> list[Seen]:
        """Return the load of each line."""
        if self._tier:
            return [self._tier[f"line/{info.key}"] for info in infos]
        return [self._context.observed(self._curves[info.key]) for info in infos]


def pdus(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for every PDU, and every other device with a breaker."""
    found = _pdus_of(context)
    observations = _Observations(context, found)
    rows = []
    for pdu in found:
        seen, derived = observations.whole(pdu), derived_from(pdu.whole)
        row = by_power(_limits(context, pdu), seen, "pdu", accuracy(pdu.whole), derived)
        rows.append(_by_current(row, observations.lines(pdu.amps)))
    return rows


def feeds(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for the PDUs of each feed of each room: their power together, and their most loaded line.

    The key is `ROOM/FEED`, or `FEED` of PDUs in racks without a room. There is no limit in W: what feeds the PDUs
    together is not part of the facility.
    """
    known = {pdu.device.key: pdu for pdu in _pdus_of(context)}
    groups = {key: [known[one.key] for one in devices] for key, devices in pdus_by_feed(context.facility).items()}
    fed = {pdu.device.key for pdus in groups.values() for pdu in pdus}
    observations = _Observations(context, [pdu for key, pdu in known.items() if key in fed])
    seen = observations.together(groups)
    return [_feed(context, key, pdus, seen[key], observations) for key, pdus in sorted(groups.items())]


def _feed(
    context: HeadroomContext, key: str, pdus: Sequence[_Pdu], seen: Seen, observations: _Observations
) -> HeadroomRow:
    parts = [part for pdu in pdus for part in accuracy(pdu.whole)]
    room = context.facility.rooms.get(key.rpartition("/")[0])
    label = f"{room.title} {pdus[0].device.feed}" if room else key
    derived = derived_from([info for pdu in pdus for info in pdu.whole])
    row = by_power(HeadroomRow(key=key, label=label), seen, "pdu", parts, derived)
    each = [_by_current(_limits(context, pdu), observations.lines(pdu.amps)) for pdu in pdus]
    known = [one for one in each if one.headroom_pct is not None and one.headroom_a is not None]
    worst = min(known, key=lambda one: one.headroom_pct or 0.0, default=None)
    if worst is None:
        return row
    return replace(
        row,
        limit_a=worst.limit_a,
        observed_a=worst.observed_a,
        headroom_a=worst.headroom_a,
        headroom_pct=worst.headroom_pct,
    )


def _dead(context: HeadroomContext, observations: _Observations, pdu: _Pdu) -> frozenset[str]:
    """Return the points of the lines that a PDU does not have although it reports 0 A for them."""
    amps = {s.point: seen.figures.max for s, seen in zip(pdu.amps, observations.lines(pdu.amps), strict=True)}
    if 0.0 not in amps.values() or not any(amps.values()):
        return frozenset()
    curves = context.curves(list(pdu.line_v.values()))
    volts = {point: context.observed(curves[info.key]).figures.max for point, info in pdu.line_v.items()}
    return dead_lines(amps, volts)


def phases(context: HeadroomContext) -> list[HeadroomRow]:
    """Return a row for every line with a current reading.

    A line that the PDU does not have is not measured; it has a row only if the declared breaker has three phases.
    """
    found = _pdus_of(context)
    observations = _Observations(context, found)
    rows = []
    for pdu in found:
        dead = _dead(context, observations, pdu)
        for amps in pdu.amps:
            if amps.point in dead and not (pdu.device.breaker and pdu.device.breaker.phases == 3):
                continue
            row = HeadroomRow(
                key=f"{pdu.device.key}/{amps.point}",
                label=f"{pdu.device.title} {amps.point.rpartition('/')[2].upper()}",
                limit_a=_limits(context, pdu).limit_a,
            )
            if amps.point in dead:
                rows.append(row)
                continue
            seen, *power = observations.lines([s for s in (amps, pdu.line_w.get(amps.point)) if s is not None])
            parts = of_reading(accuracy([amps]), seen.figures.max)
            figures = power[0].figures if power else ObservedLoad()
            row = replace(row, observed_w=figures, uncertainty_pct=number(expanded_pct(parts)))
            rows.append(_by_current(row, [seen]))
    return rows
