"""Find lost feeds, unbalanced phases, devices with missing polls, and devices that are without power."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from app.domain.alerts import CLEAR, AlertFinding, AlertLevel, Grade, RuleSettings, measured
from app.domain.capacity import dead_lines, phase_imbalance_pct
from app.services.alerts.alert_context import AlertContext
from app.services.devices import DEFAULT_INTERVAL_S
from app.services.energy import INLET, LINE, pdus_in
from app.services.timeseries import LatestReading
from app.store.facility import Device, Rack
from collectors.contract import HOUR_MS, Quantity

LEAST_FAILURES = 3
"""How many failed polls of an hour are no alert, whatever their share."""
_NO_VOLTAGE = 0.5
"""A line below this part of the nominal voltage is without supply."""
_LOW_V = 50.0
"""The same where no nominal voltage is declared [V]: half of the lowest in use, 100 V."""


def muted_by(context: AlertContext) -> Mapping[str, str]:
    """Return the silent devices of nodes all of whose PDUs are silent, with these PDUs: they may be without power."""
    silent = {one.key for one in context.silent}
    found = {}
    for key in silent:
        node = context.facility.devices[key].node
        pdus = {feed.device for feed in context.facility.powering(node)} if node else set()
        if pdus and pdus <= silent and key not in pdus:
            found[key] = ", ".join(sorted(pdus))
    return found


def lost_feeds(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Find feeds of racks that are without voltage, or carry nothing while another feed of the same nodes does."""
    for rack in context.facility.racks.values():
        pdus = pdus_in(context.facility, rack.key)
        shared = _shared_feeds(context, rack, {pdu.key: pdu.feed for pdu in pdus if pdu.feed})
        for feed in sorted(shared):
            mine = [pdu for pdu in pdus if pdu.feed == feed]
            yield _feed(context, rack, feed, mine, [p for p in pdus if p.feed in shared - {feed}], settings)


def _shared_feeds(context: AlertContext, rack: Rack, feed_of: Mapping[str, str]) -> set[str]:
    """Return the feeds that power a node together with another one."""
    found: set[str] = set()
    for node in context.facility.nodes_in(rack.key):
        feeds = {feed_of[cord.device] for cord in context.facility.powering(node.key) if cord.device in feed_of}
        found |= feeds if len(feeds) > 1 else set()
    return found


def _feed(
    context: AlertContext,
    rack: Rack,
    feed: str,
    mine: Sequence[Device],
    others: Sequence[Device],
    settings: RuleSettings,
) -> AlertFinding:
    subject, t_ms = f"{rack.key}:{feed}", context.now_ms
    live = [is_live for pdu in mine if (is_live := _has_voltage(context, pdu)) is not None]
    if live:
        level = AlertLevel.OK if any(live) else AlertLevel.CRIT
        return AlertFinding(subject, Grade(level, level), t_ms, detail="no voltage", rack=rack.key)
    own_w, other_w = _power_w(context, mine), _power_w(context, others)
    if own_w is None or other_w is None:
        return AlertFinding(subject, None, t_ms, rack=rack.key)
    if other_w <= 0:
        return AlertFinding(subject, CLEAR, t_ms, rack=rack.key)
    assert settings.warn is not None
    share_pct = 100.0 * own_w / (own_w + other_w)
    level, held = (
        AlertLevel.CRIT if share_pct < limit else AlertLevel.OK
        for limit in (settings.warn, settings.warn + settings.margin)
    )
    grade = Grade(level, held)
    return AlertFinding(subject, grade, t_ms, None, share_pct, settings.warn, "%", "no load", rack=rack.key)


def _has_voltage(context: AlertContext, pdu: Device) -> bool | None:
    """Return whether a PDU reports voltage at its inlet; None if it reports none."""
    volts = [
        r.value
        for r in context.latest.of([pdu.key], Quantity.VOLTAGE)
        if r.value is not None and (LINE.fullmatch(r.series.point) or INLET.fullmatch(r.series.point))
    ]
    least = _NO_VOLTAGE * pdu.breaker.volts / math.sqrt(3) if pdu.breaker and pdu.breaker.volts else _LOW_V
    return max(volts) >= least if volts else None


def _power_w(context: AlertContext, pdus: Sequence[Device]) -> float | None:
    """Return the power of some PDUs [W]; None if a part of it is not known."""
    inlets = [
        [r for r in context.latest.of([pdu.key], Quantity.POWER) if INLET.fullmatch(r.series.point)] for pdu in pdus
    ]
    values = [r.value for one in inlets for r in one]
    known = [value for value in values if value is not None]
    return math.fsum(known) if pdus and all(inlets) and len(known) == len(values) else None


def imbalances(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Compare the largest deviation of a line from the mean current of its PDU with the limit."""
    assert settings.warn is not None
    for device in context.facility.devices.values():
        lines = [r for r in context.latest.of([device.key], Quantity.CURRENT) if LINE.fullmatch(r.series.point)]
        amps = _amps_of_live_lines(context, device, lines)
        if len(amps) < 2:
            continue
        place: Mapping[str, str | None] = {"device": device.key, "rack": device.rack, "node": device.node}
        t_ms = min(r.t_ms for r in lines)
        if any(value is None for value in amps):
            yield AlertFinding(device.key, None, t_ms, device=device.key, rack=device.rack)
            continue
        pct = phase_imbalance_pct([value for value in amps if value is not None])
        value = 0.0 if math.isnan(pct) else pct
        yield measured(device.key, value, t_ms, "%", settings.warn, settings.crit, settings.margin, place)


def _amps_of_live_lines(context: AlertContext, device: Device, lines: Sequence[LatestReading]) -> list[float | None]:
    amps = {r.series.point: r.value for r in lines}
    dead = dead_lines(amps, {point: context.latest.value(f"{device.key}/{point}:voltage") for point in amps})
    return [value for point, value in amps.items() if point not in dead]


def missing_polls(context: AlertContext, settings: RuleSettings) -> Iterator[AlertFinding]:
    """Compare the share of polls that failed in the last hour with the limit; silent devices have another alert."""
    assert settings.warn is not None
    silent = {one.key for one in context.silent}
    for device in context.facility.devices.values():
        if not device.address:
            continue
        failures = context.failures.get(device.key, 0)
        place: Mapping[str, str | None] = {"device": device.key, "rack": device.rack, "node": device.node}
        if device.key in silent:
            yield AlertFinding(device.key, None, context.now_ms, device=device.key, rack=device.rack)
            continue
        polls = HOUR_MS / (1000.0 * (device.interval_s or DEFAULT_INTERVAL_S))
        pct = 0.0 if failures <= LEAST_FAILURES else min(100.0, 100.0 * failures / polls)
        detail = f"{failures} failed polls in an hour"
        warn, crit, margin = settings.warn, settings.crit, settings.margin
        yield measured(device.key, pct, context.now_ms, "%", warn, crit, margin, place, detail)
