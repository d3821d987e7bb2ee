"""The facility page: power against usable power, by rack, and what needs attention."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.capacity import dead_lines, phase_imbalance_pct
from app.domain.energy import KnownPower, energy_j, statistics, total_power
from app.domain.timeseries import Curve, TimeWindow, add, coverage, value_at
from app.models import TimeMs, sent_as
from app.presentation.charts import PENDING_MS, Figure, holes
from app.presentation.devices import DevicesPanel, devices_panel
from app.presentation.facility import facility as titles
from app.presentation.facility.changes import ChangeLine, change_lines
from app.presentation.facility.day_figure import PartialDay, day, partial_day
from app.presentation.facility.facility import RackNow
from app.presentation.facility.missing_parts import MissingLine, missing_lines
from app.presentation.text import KnownPowerView, WindowView, known_power_fields
from app.services.energy import LINE, pdus_in
from app.services.facility import SiteName, site_name
from app.services.pages import FacilityPage
from app.services.timeseries import LatestReading, LatestReadings
from app.store.facility import Rack
from collectors.contract import HOUR_MS, Quantity


@dataclass(frozen=True)
class Total:
    """A window of all racks together.

    The maximum is that of their sum, which is defined where every rack is covered, or of what is known elsewhere; the
    energy is the sum of their meters' own, and its coverage is covered meter time / meter time of the window.
    `is_partial`: a part of the window is not covered, so that energy and maximum are lower bounds.
    """

    usable_w: float | None
    max_w: float | None
    max_at_ms: Annotated[TimeMs | None, sent_as("max_at")]
    energy_j: float | None
    coverage: float | None
    gaps: int
    delta_hour_w: float | None
    is_partial: bool = False


@dataclass(frozen=True)
class FacilityView:
    """Everything the facility page shows."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    window: WindowView
    title: str
    now: KnownPowerView
    total: Total
    racks: Sequence[RackNow]
    titles: Mapping[str, str]
    undecided: Mapping[str, str]
    worst_titles: Mapping[str, str]
    missing: Sequence[MissingLine]
    devices: DevicesPanel
    changes: Sequence[ChangeLine]
    figures: Mapping[str, Figure]


def facility_view(page: FacilityPage) -> FacilityView:
    """Return the facility page."""
    now, window = page.now_ms, page.window
    racks = [_rack_now(page, rack) for rack in page.racks]
    usable = _known_sum([r.usable_w for r in racks])
    curves = {name: curve for r in page.racks for name, curve in page.powers[r.key].members.items()}
    total = add(list(curves.values()))
    power = total_power([page.live.racks[r.key].power for r in page.racks])
    return FacilityView(
        now_ms=now,
        site=site_name(page.facility, page.site),
        window=WindowView.of(window),
        title=titles.site_title(power, usable),
        now=KnownPowerView(**known_power_fields(power)),
        total=_total(total, curves, usable, window, power, is_now=window.end_ms >= now),
        racks=racks,
        titles=titles.hall_titles(racks, now),
        undecided=titles.undecided(racks, now),
        worst_titles=titles.worst_titles(racks, now),
        missing=missing_lines(page),
        devices=devices_panel(page.devices),
        changes=change_lines(page),
        figures={"day": day(total, curves, usable, window, {name: name.partition("/")[0] for name in curves})},
    )


def _rack_now(page: FacilityPage, rack: Rack) -> RackNow:
    facility, latest = page.facility, page.latest
    pdus = [d.key for d in pdus_in(facility, rack.key)]
    sources = pdus if page.powers[rack.key].basis == "inlets" else sorted(
        {feed.device for node in facility.nodes_in(rack.key) for feed in facility.powering(node.key)}
    )  # fmt: skip
    room = facility.rooms.get(rack.room) if rack.room else None
    now = page.live.racks[rack.key]
    probes = latest.of(pdus, Quantity.TEMPERATURE)
    return RackNow(
        **known_power_fields(now.power),
        key=rack.key,
        label=rack.title,
        room=rack.room,
        room_label=room.title if room else rack.room,
        row=rack.row,
        position=rack.position,
        usable_w=rack.capacity_w,
        imbalance_pct=_worst_imbalance(pdus, latest),
        lines_missing=[pdu for pdu in pdus if any(r.value is None for r in _lines(pdu, latest))],
        inlet_c=max((r.value for r in probes if r.value is not None), default=None),
        probes_missing=any(r.value is None for r in probes),
        interval_s=max((r.interval_s for r in latest.of(sources, Quantity.POWER)), default=None),
        meters=len(pdus),
        substitutes=now.substitutes,
    )


def _worst_imbalance(pdus: Sequence[str], latest: LatestReadings) -> float | None:
    worst = []
    for pdu in pdus:
        amps = {r.series.point: r.value for r in _lines(pdu, latest)}
        dead = dead_lines(amps, {point: latest.value(f"{pdu}/{point}:voltage") for point in amps})
        lines = [a for point, a in amps.items() if point not in dead]
        currents = [a for a in lines if a is not None]
        if len(currents) == len(lines) >= 2:
            worst.append(phase_imbalance_pct(currents))
    return max((pct for pct in worst if not math.isnan(pct)), default=None)


def _lines(pdu: str, latest: LatestReadings) -> list[LatestReading]:
    return [r for r in latest.of([pdu], Quantity.CURRENT) if LINE.fullmatch(r.series.point)]


def _known_sum(parts: Sequence[float | None]) -> float | None:
    known = [p for p in parts if p is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _total(
    total: Curve,
    members: Mapping[str, Curve],
    usable_w: float | None,
    window: TimeWindow,
    power: KnownPower,
    *,
    is_now: bool,
) -> Total:
    start_ms, now_ms = window.start_ms, window.end_ms
    found = statistics(total, start_ms, now_ms)
    max_w, max_at_ms = _highest(found.max, found.max_at_ms, partial_day(total, members, window))
    if max_w is None:
        return Total(usable_w, None, None, None, 0.0, 0, None, power.is_partial and is_now)
    end = min(total.end_ms or 0, now_ms)
    then, last = value_at(total, [end - HOUR_MS, end]).tolist() if now_ms - end <= PENDING_MS else (math.nan, math.nan)
    gaps = len(holes(total, window))
    return Total(
        usable_w=usable_w,
        max_w=max_w,
        max_at_ms=max_at_ms,
        energy_j=sum(energy_j(curve, start_ms, now_ms) for curve in members.values()),
        coverage=sum(coverage(curve, start_ms, now_ms) for curve in members.values()) / len(members),
        gaps=gaps,
        delta_hour_w=None if math.isnan(last - then) else last - then,
        is_partial=gaps > 0 or (power.is_partial and is_now),
    )


def _highest(max_w: float, at_ms: int | None, partial: PartialDay | None) -> tuple[float | None, int | None]:
    """Return the maximum of the whole sum, or that of its known part where it is higher."""
    known = partial.max_w if partial else None
    if known is not None and (math.isnan(max_w) or known[0] > max_w):
        return known
    return (None, None) if math.isnan(max_w) else (max_w, at_ms)
