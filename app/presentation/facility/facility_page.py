"""The facility page: power against usable power, by rack, and what needs attention."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.capacity import phase_imbalance_pct
from app.domain.energy import energy_j, statistics
from app.domain.timeseries import Curve, TimeWindow, add, coverage, value_at
from app.presentation.charts import PENDING_MS, Figure, holes
from app.presentation.devices import DevicesPanel, devices_panel
from app.presentation.facility import facility as figures
from app.presentation.facility.changes import ChangeLine, change_lines
from app.presentation.facility.facility import RackNow
from app.services.energy import LINE, RackPower, pdus_in
from app.services.facility import SiteName, site_name
from app.services.pages import FacilityPage
from app.services.timeseries import LatestReadings
from app.store.facility import Rack
from collectors.contract import HOUR_MS, Quantity


@dataclass(frozen=True)
class Total:
    """The last 24 h of all racks together.

    The maximum is that of their sum, which is defined where every rack is covered; the energy is the sum of the racks'
    own, and its coverage is covered rack time / rack time of the window.
    """

    usable_w: float | None
    max_w: float | None
    max_at_ms: int | None
    energy_j: float | None
    coverage: float | None
    gaps: int
    delta_hour_w: float | None


@dataclass(frozen=True)
class FacilityView:
    """Everything the facility page shows."""

    now_ms: int
    site: SiteName
    title: str
    total: Total
    racks: Sequence[RackNow]
    titles: Mapping[str, str]
    worst_titles: Mapping[str, str]
    devices: DevicesPanel
    changes: Sequence[ChangeLine]
    figures: Mapping[str, Figure]


def facility_view(page: FacilityPage) -> FacilityView:
    """Return the facility page."""
    now, window = page.now_ms, page.window
    racks = [_rack_now(page, rack) for rack in page.racks]
    usable = _known_sum([r.usable_w for r in racks])
    curves = {r.title: page.powers[r.key].total for r in page.racks if len(page.powers[r.key].total)}
    total = add(list(curves.values()))
    return FacilityView(
        now_ms=now,
        site=site_name(page.facility, page.site),
        title=figures.site_title(_known_sum([r.power_w for r in racks], missing_is_none=False), usable),
        total=_total(total, list(page.powers.values()), usable, window.start_ms, now),
        racks=racks,
        titles=figures.hall_titles(racks, now),
        worst_titles=figures.worst_titles(racks, now),
        devices=devices_panel(page.devices),
        changes=change_lines(page),
        figures={"day": figures.day(total, curves, usable, window)},
    )


def _rack_now(page: FacilityPage, rack: Rack) -> RackNow:
    facility, latest = page.facility, page.latest
    pdus = [d.key for d in pdus_in(facility, rack.key)]
    sources = pdus if page.powers[rack.key].basis == "inlets" else sorted(
        {feed.device for node in facility.nodes_in(rack.key) for feed in facility.powering(node.key)}
    )  # fmt: skip
    room = facility.rooms.get(rack.room) if rack.room else None
    now = page.live.racks[rack.key]
    return RackNow(
        key=rack.key,
        label=rack.title,
        room=rack.room,
        room_label=room.title if room else rack.room,
        row=rack.row,
        position=rack.position,
        power_w=now["power_w"],
        t_ms=now["t"],
        usable_w=rack.capacity_w,
        imbalance_pct=_worst_imbalance(pdus, latest),
        inlet_c=max((r.value for r in latest.of(pdus, Quantity.TEMPERATURE) if r.value is not None), default=None),
        interval_s=max((r.interval_s for r in latest.of(sources, Quantity.POWER)), default=None),
    )


def _worst_imbalance(pdus: Sequence[str], latest: LatestReadings) -> float | None:
    worst = []
    for pdu in pdus:
        lines = [r.value for r in latest.of([pdu], Quantity.CURRENT) if LINE.fullmatch(r.series.point)]
        currents = [a for a in lines if a is not None]
        if len(currents) == len(lines) >= 2:
            worst.append(phase_imbalance_pct(currents))
    return max((pct for pct in worst if not math.isnan(pct)), default=None)


def _known_sum(parts: Sequence[float | None], *, missing_is_none: bool = True) -> float | None:
    known = [p for p in parts if p is not None]
    if not known or (missing_is_none and len(known) < len(parts)):
        return None
    return sum(known)


def _total(total: Curve, racks: Sequence[RackPower], usable_w: float | None, start_ms: int, now_ms: int) -> Total:
    found = statistics(total, start_ms, now_ms)
    if not found.n_samples:
        return Total(usable_w, None, None, None, 0.0, 0, None)
    end = min(total.end_ms or 0, now_ms)
    then, last = value_at(total, [end - HOUR_MS, end]).tolist() if now_ms - end <= PENDING_MS else (math.nan, math.nan)
    return Total(
        usable_w=usable_w,
        max_w=found.max,
        max_at_ms=found.max_at_ms,
        energy_j=sum(energy_j(r.total, start_ms, now_ms) for r in racks),
        coverage=sum(coverage(r.total, start_ms, now_ms) for r in racks) / len(racks),
        gaps=len(holes(total, TimeWindow(start_ms, now_ms))),
        delta_hour_w=None if math.isnan(last - then) else last - then,
    )
