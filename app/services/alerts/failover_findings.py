"""Would a feed trip if another one failed now? The failover of the rack page, with the newest readings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.domain.alerts import CLEAR, AlertFinding, RuleSettings, measured
from app.domain.capacity import FailoverPdu, fail, moves
from app.domain.timeseries import TimeWindow
from app.services.alerts.findings import AlertContext
from app.services.capacity import constant, failover_cords, failover_needs
from app.services.energy import BRANCH, INLET, LINE
from app.services.timeseries import LatestReading
from app.store.facility import Device, Rack
from collectors.contract import Quantity

_KINDS = ("pdu", "meter", "ups")


@dataclass(frozen=True)
class _Now:
    """A device with a feed: what enters it [W], the current of each line [A], its breaker [A], the oldest reading.

    Attributes
    ----------
    is_judged: whether its breaker is declared, and lines and power were ever told.
    """

    device: Device
    power_w: float | None
    lines: Mapping[str, float | None]
    rated_a: float
    t_ms: int
    is_judged: bool

    @property
    def is_known(self) -> bool:
        """Whether everything of it is told now, and some power enters it."""
        return self.power_w is not None and self.power_w > 0 and None not in self.lines.values()


def failovers(look: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """One of each rack and feed that may fail, where more than one feed supplies the rack."""
    for rack in look.facility.racks.values():
        devices = [d for kind in _KINDS for d in look.facility.devices_in(rack.key, kind) if d.feed]
        feeds = sorted({d.feed for d in devices if d.feed})
        if len(feeds) > 1:
            found = [_now(look, device) for device in devices]
            for failed in feeds:
                yield from _if_failed(look, rack, found, failed, settings)


def _now(look: AlertContext, device: Device) -> _Now:
    readings = look.latest.on(device.key)
    amps = [r for r in readings if r.series.quantity is Quantity.CURRENT]
    lines = [r for r in amps if LINE.fullmatch(r.series.point)] or [r for r in amps if BRANCH.fullmatch(r.series.point)]
    inlets = [r for r in readings if r.series.quantity is Quantity.POWER and INLET.fullmatch(r.series.point)]
    values = {r.series.point.rpartition("/")[2].upper(): r.value for r in lines}
    rated_a = device.breaker.amps if device.breaker else math.nan
    is_judged = device.breaker is not None and bool(lines) and bool(inlets)
    return _Now(device, _sum(inlets), values, rated_a, min((r.t_ms for r in lines), default=look.now_ms), is_judged)


def _sum(readings: Sequence[LatestReading]) -> float | None:
    known = [r.value for r in readings if r.value is not None]
    return math.fsum(known) if readings and len(known) == len(readings) else None


def _if_failed(
    look: AlertContext, rack: Rack, devices: Sequence[_Now], failed: str, settings: RuleSettings
) -> Iterator[AlertFinding]:
    assert settings.warn is not None
    left = [one for one in devices if one.device.feed != failed and one.is_judged]
    if not left:
        return
    subject, t_ms = f"{rack.key}:{failed}", min(one.t_ms for one in left)
    gone = [one.power_w for one in devices if one.device.feed == failed]
    most_w = math.fsum(watts or 0.0 for watts in gone) if None not in gone else math.inf
    safe = (settings.warn - settings.margin) / 100.0
    if not all(one.is_known for one in left):
        yield AlertFinding(subject, None, t_ms, rack=rack.key)
    elif all(_at_most(one, most_w) <= safe * one.rated_a for one in left):
        yield AlertFinding(subject, CLEAR, t_ms, rack=rack.key)
    elif (worst := _worst(look, rack, devices, failed)) is None:
        yield AlertFinding(subject, None, t_ms, rack=rack.key)
    else:
        name, amps, rated = worst
        warn, margin = rated * settings.warn / 100.0, rated * settings.margin / 100.0
        crit = None if settings.crit is None else rated * settings.crit / 100.0
        yield measured(subject, amps, t_ms, "A", warn, crit, margin, {"rack": rack.key}, name)


def _at_most(one: _Now, more_w: float) -> float:
    """What its fullest line would carry if all that the failed feed carries came here, which is never less [A]."""
    power = one.power_w or math.nan
    return max(amps or 0.0 for amps in one.lines.values()) * (power + more_w) / power


def _worst(look: AlertContext, rack: Rack, devices: Sequence[_Now], failed: str) -> tuple[str, float, float] | None:
    """The line closest to its breaker: its name, current and breaker [A]; None where the nodes' cords are not told."""
    view = TimeWindow(look.now_ms - 1, look.now_ms)
    mine = {one.device.key: one for one in devices}
    powers = {}
    for node in look.facility.nodes_in(rack.key):
        cords = [feed.key for feed in look.facility.powering(node.key) if feed.device in mine]
        told = {key: look.latest.readings.get(f"{key}:power") for key in cords}
        if any(reading is not None and reading.value is None for reading in told.values()):
            return None
        known = {key: reading.value for key, reading in told.items() if reading is not None}
        powers[node.key] = {key: constant(watts, view) for key, watts in known.items() if watts is not None}
    cords_now = failover_cords(look.facility, {key: one.device for key, one in mine.items()}, powers)
    supplies = [
        FailoverPdu(
            key,
            one.device.feed or "",
            constant(one.power_w or 0.0, view),
            {name: constant(amps or 0.0, view) for name, amps in one.lines.items()},
        )
        for key, one in mine.items()
    ]
    found = fail(cords_now, supplies, failed, view.start_ms, view.end_ms, failover_needs(look.facility))
    lines = [
        (f"{key} {name}", peak.current_a, mine[key].rated_a)
        for key, named in found.lines.items()
        for name, peak in named.items()
        if not math.isnan(peak.current_a)
    ]
    return max(lines, key=lambda line: line[1] / line[2], default=None) if moves(cords_now) else None
