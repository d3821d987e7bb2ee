"""The facility page: power against usable power, by rack, and what needs attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from app.domain.energy import KnownPower, total_power
from app.models import TimeMs, sent_as
from app.presentation.charts import Figure, holes
from app.presentation.devices import DevicesPanel, devices_panel
from app.presentation.facility import facility as titles
from app.presentation.facility.changes import ChangeLine, change_lines
from app.presentation.facility.day_figure import day
from app.presentation.facility.day_power import DayPower, day_of_members, day_of_minutes
from app.presentation.facility.missing_parts import MissingLine, missing_lines
from app.presentation.facility.rack_now import RackNow
from app.presentation.text import KnownPowerView, WindowView, known_power_fields
from app.services.capacity import site_margin_pct
from app.services.energy import pdus_in
from app.services.facility import SiteName, site_name
from app.services.live import balance_now, lines_now
from app.services.pages import FacilityPage
from app.store.facility import Facility, Rack
from collectors.contract import Quantity


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
    now = page.now_ms
    racks = [_rack_now(page, rack) for rack in page.racks]
    usable = _known_sum([r.usable_w for r in racks])
    past, labels = _day(page)
    power = total_power([page.live.racks[r.key].power for r in page.racks])
    return FacilityView(
        now_ms=now,
        site=site_name(page.facility, page.site),
        window=WindowView.of(page.window),
        title=titles.site_title(power, usable),
        now=KnownPowerView(**known_power_fields(power)),
        total=_total(past, usable, power, is_now=page.window.end_ms >= now),
        racks=racks,
        titles=titles.hall_titles(racks, now),
        undecided=titles.undecided(racks, now),
        worst_titles=titles.worst_titles(racks, now),
        missing=missing_lines(page),
        devices=devices_panel(page.devices),
        changes=change_lines(page),
        figures={"day": day(past, usable, labels)},
    )


def _day(page: FacilityPage) -> tuple[DayPower, Mapping[str, str]]:
    """Return the power of the last day, and what each of its meters is called."""
    past = page.day
    if past.minutes is not None:
        titles_of = {rack.key: rack.title for rack in page.racks}
        return day_of_minutes(past.minutes, list(titles_of), past.window), titles_of
    powers = (past.powers or {}).values()
    curves = {name: curve for power in powers for name, curve in power.members.items()}
    return day_of_members(curves, past.window), {name: name.partition("/")[0] for name in curves}


def _rack_now(page: FacilityPage, rack: Rack) -> RackNow:
    facility, latest = page.facility, page.latest
    pdus = [d.key for d in pdus_in(facility, rack.key)]
    now = page.live.racks[rack.key]
    basis = now.basis if page.day.powers is None else page.day.powers[rack.key].basis
    sources = pdus if basis == "inlets" else sorted(
        {feed.device for node in facility.nodes_in(rack.key) for feed in facility.powering(node.key)}
    )  # fmt: skip
    room = facility.rooms.get(rack.room) if rack.room else None
    probes = latest.of(pdus, Quantity.TEMPERATURE)
    balance = balance_now(facility, rack.key, {pdu: lines_now(pdu, latest) for pdu in pdus}, latest)
    alerts = page.alerts.get(rack.key)
    return RackNow(
        **known_power_fields(now.power),
        key=rack.key,
        label=rack.title,
        room=rack.room,
        room_label=room.title if room else rack.room,
        row=rack.row,
        position=rack.position,
        usable_w=rack.capacity_w,
        planning_w=_planning_w(facility, rack),
        basis=basis,
        alerts=alerts.active if alerts else 0,
        critical=alerts.crit if alerts else 0,
        imbalance_pct=balance.imbalance_pct,
        lines_missing=balance.missing,
        inlet_c=max((r.value for r in probes if r.value is not None), default=None),
        probes_missing=any(r.value is None for r in probes),
        interval_s=latest.slowest_s(sources, Quantity.POWER),
        meters=len(pdus),
        substitutes=now.substitutes,
    )


def _planning_w(facility: Facility, rack: Rack) -> float | None:
    """Return the rack capacity less the margin of its site [W]."""
    return None if rack.capacity_w is None else rack.capacity_w * (1.0 - site_margin_pct(facility, rack) / 100.0)


def _known_sum(parts: Sequence[float | None]) -> float | None:
    known = [p for p in parts if p is not None]
    return sum(known) if known and len(known) == len(parts) else None


def _total(past: DayPower, usable_w: float | None, power: KnownPower, *, is_now: bool) -> Total:
    if past.max_w is None:
        return Total(usable_w, None, None, None, 0.0, 0, None, power.is_partial and is_now)
    gaps = len(holes(past.total, past.view))
    return Total(
        usable_w=usable_w,
        max_w=past.max_w,
        max_at_ms=past.max_at_ms,
        energy_j=past.energy_j,
        coverage=past.coverage,
        gaps=gaps,
        delta_hour_w=past.delta_hour_w,
        is_partial=gaps > 0 or (power.is_partial and is_now),
    )
