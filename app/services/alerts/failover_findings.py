"""Find feeds that would trip if another one failed now: the failover of the rack page on the latest readings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.domain.alerts import CLEAR, AlertFinding, RuleSettings, measured
from app.domain.capacity import FailoverPdu, fail, moves
from app.domain.timeseries import TimeWindow
from app.services.alerts.alert_context import AlertContext
from app.services.capacity import constant, failover_cords, failover_needs
from app.services.energy import BRANCH, INLET, LINE
from app.services.live import points_like
from app.services.timeseries import LatestReading
from app.store.facility import Device, Rack
from collectors.contract import Quantity

MOST_MISSING = 3
"""How many missing devices an alert names."""
_KINDS = ("pdu", "meter", "ups")


@dataclass(frozen=True)
class _Now:
    """A device with a feed: input power [W], current of each line [A], breaker [A], time of the oldest reading.

    Attributes
    ----------
    is_judged: whether its breaker is declared, and lines and power were ever reported.
    """

    device: Device
    power_w: float | None
    lines: Mapping[str, float | None]
    rated_a: float
    t_ms: int
    is_judged: bool

    @property
    def is_known(self) -> bool:
        """Whether all its readings are current, and it draws power."""
        return self.power_w is not None and self.power_w > 0 and None not in self.lines.values()


def failovers(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Return one finding for each feed of every rack that has several feeds."""
    for rack in context.facility.racks.values():
        devices = [d for kind in _KINDS for d in context.facility.devices_in(rack.key, kind) if d.feed]
        feeds = sorted({d.feed for d in devices if d.feed})
        if len(feeds) > 1:
            found = [_now(context, device) for device in devices]
            for failed in feeds:
                yield from _if_failed(context, rack, found, failed, settings)


def _now(context: AlertContext, device: Device) -> _Now:
    latest = context.latest
    amps = latest.of([device.key], Quantity.CURRENT)
    lines = [r for r in amps if LINE.fullmatch(r.series.point)] or [r for r in amps if BRANCH.fullmatch(r.series.point)]
    inlets = [
        reading
        for point in points_like(INLET, latest.points(device.key, Quantity.POWER))
        if (reading := latest.get(f"{device.key}/{point}:power")) is not None
    ]
    values = {r.series.point.rpartition("/")[2].upper(): r.value for r in lines}
    rated_a = device.breaker.amps if device.breaker else math.nan
    is_judged = device.breaker is not None and bool(lines) and bool(inlets)
    return _Now(device, _sum(inlets), values, rated_a, min((r.t_ms for r in lines), default=context.now_ms), is_judged)


def _sum(readings: Sequence[LatestReading]) -> float | None:
    known = [r.value for r in readings if r.value is not None]
    return math.fsum(known) if readings and len(known) == len(readings) else None


def _if_failed(
    context: AlertContext, rack: Rack, devices: Sequence[_Now], failed: str, settings: RuleSettings
) -> Iterator[AlertFinding]:
    assert settings.warn is not None
    left = [one for one in devices if one.device.feed != failed and one.is_judged]
    if not left:
        return
    known = [one for one in left if one.is_known]
    subject, t_ms = f"{rack.key}:{failed}", min(one.t_ms for one in known or left)
    lost = [one for one in devices if one.device.feed == failed]
    missing = [one.device.key for one in left if not one.is_known]
    missing += [one.device.key for one in lost if one.power_w is None]
    lost_w = math.fsum(one.power_w or 0.0 for one in lost)
    safe = (settings.warn - settings.margin) / 100.0
    if not missing and all(_at_most(one, lost_w) <= safe * one.rated_a for one in left):
        if subject in context.unfinished:
            yield AlertFinding(subject, CLEAR, t_ms, rack=rack.key)
    elif (worst := _worst(context, rack, [*known, *lost], failed, is_partial=bool(missing))) is None:
        yield AlertFinding(subject, None, t_ms, rack=rack.key)
    else:
        name, amps, rated = worst
        warn, margin = rated * settings.warn / 100.0, rated * settings.margin / 100.0
        crit = None if settings.crit is None else rated * settings.crit / 100.0
        place = {"rack": rack.key}
        unknown = ",".join(missing[:MOST_MISSING]) or None
        yield measured(subject, amps, t_ms, "A", warn, crit, margin, place, name, unknown)


def _at_most(one: _Now, more_w: float) -> float:
    """Return an upper bound of the current of its fullest line: all power of the failed feed moves here [A]."""
    power = one.power_w or math.nan
    return max(amps or 0.0 for amps in one.lines.values()) * (power + more_w) / power


def _worst(
    context: AlertContext, rack: Rack, devices: Sequence[_Now], failed: str, *, is_partial: bool
) -> tuple[str, float, float] | None:
    """Return the line closest to its breaker: name, current and breaker [A]; None if a cord lacks readings.

    With `is_partial` only nodes all of whose cords are known move their load: the current is a lower bound then.
    """
    view = TimeWindow(context.now_ms - 1, context.now_ms)
    mine = {one.device.key: one for one in devices}
    powers = {}
    for node in context.facility.nodes_in(rack.key):
        feeds = context.facility.powering(node.key)
        cords = [feed.key for feed in feeds if feed.device in mine]
        readings = {key: context.latest.get(f"{key}:power") for key in cords}
        if any(reading is not None and reading.value is None for reading in readings.values()):
            if not is_partial:
                return None
            continue
        if is_partial and len(cords) < len(feeds):
            continue
        known = {key: reading.value for key, reading in readings.items() if reading is not None}
        powers[node.key] = {key: constant(watts, view) for key, watts in known.items() if watts is not None}
    cords_now = failover_cords(context.facility, {key: one.device for key, one in mine.items()}, powers)
    supplies = [
        FailoverPdu(
            key,
            one.device.feed or "",
            constant(one.power_w or 0.0, view),
            {name: constant(amps or 0.0, view) for name, amps in one.lines.items()},
        )
        for key, one in mine.items()
    ]
    found = fail(cords_now, supplies, failed, view.start_ms, view.end_ms, failover_needs(context.facility))
    lines = [
        (f"{key} {name}", peak.current_a, mine[key].rated_a)
        for key, named in found.lines.items()
        for name, peak in named.items()
        if not math.isnan(peak.current_a)
    ]
    if is_partial and not moves(cords_now):
        lines = [
            (f"{key} {name}", amps, one.rated_a)
            for key, one in mine.items()
            for name, amps in one.lines.items()
            if one.device.feed != failed and amps is not None and one.is_judged
        ]
        return max(lines, key=lambda line: line[1] / line[2], default=None)
    return max(lines, key=lambda line: line[1] / line[2], default=None) if moves(cords_now) else None
