"""The facility page: power against usable power, by rack, and what needs attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from app.domain.energy import KnownPower, total_power
from app.models import TimeMs, sent_as
from app.presentation.charts import Figure, holes
from app.presentation.devices import DevicesPanel, devices_panel
from app.presentation.facility.changes import ChangeLine, change_lines
from app.presentation.facility.day_figure import day
from app.presentation.facility.day_power import DayPower, day_of_members, day_of_minutes
from app.presentation.facility.facility import FacilityTitles, facility_titles, usable_power
from app.presentation.facility.missing_parts import MissingLine, missing_lines
from app.presentation.facility.rack_now import RackNow, rack_now
from app.presentation.text import KnownPowerView, UnreadView, WindowView, known_power_fields, unread_view
from app.services.facility import SiteName, site_name
from app.services.live import Snapshot
from app.services.pages import FacilityPage
from app.services.timeseries import LatestReadings
from app.store.database import Unread
from app.store.facility import Facility, Rack


@dataclass(frozen=True)
class Total:
    """A window of all racks together.

    The maximum is that of their sum, which is defined where every rack is covered, or of what is known elsewhere; the
    energy is the sum of their meters' own, and its coverage is covered meter time / meter time of the window.
    `is_partial`: a part of the window is not covered, so that energy and maximum are lower bounds. Where not everything
    can be read `coverage` and `gaps` are not known.
    """

    usable_w: float | None
    max_w: float | None
    max_at_ms: Annotated[TimeMs | None, sent_as("max_at")]
    energy_j: float | None
    coverage: float | None
    gaps: int
    delta_hour_w: float | None
    is_partial: bool = False


@dataclass(frozen=True, kw_only=True)
class FacilityView(FacilityTitles):
    """Everything the facility page shows. `unread`: what of it the database cannot read now."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    window: WindowView
    now: KnownPowerView
    total: Total
    racks: Sequence[RackNow]
    missing: Sequence[MissingLine]
    devices: DevicesPanel
    changes: Sequence[ChangeLine]
    figures: Mapping[str, Figure]
    unread: UnreadView | None = None


def facility_view(page: FacilityPage, unread: Unread | None = None) -> FacilityView:
    """Return the facility page; `unread`: what its data are read without."""
    now = page.now_ms
    racks = [_rack_now(page, rack) for rack in page.racks]
    usable = usable_power(racks)
    past, labels = _day(page)
    power = total_power([page.live.racks[r.key].power for r in page.racks])
    lost = unread_view(unread, _devices(page))
    total = _total(past, usable, power, is_now=page.window.end_ms >= now)
    return FacilityView(
        **vars(facility_titles(racks, power, now)),
        now_ms=now,
        site=site_name(page.facility, page.site),
        window=WindowView.of(page.window),
        now=KnownPowerView(**known_power_fields(power)),
        total=replace(total, coverage=None, gaps=0, is_partial=True) if lost else total,
        racks=racks,
        missing=missing_lines(page),
        devices=devices_panel(page.devices),
        changes=change_lines(page),
        figures={"day": day(past, usable, labels, "cannot be read" if lost else "silent")},
        unread=lost,
    )


def titles_now(facility: Facility, latest: LatestReadings, now: Snapshot) -> FacilityTitles:
    """Return the titles of the facility page for a moment of the live stream; `latest`: the readings it is of."""
    balance = now.balance
    racks = [
        rack_now(facility, latest, rack, now.racks[key], balance=balance.get(key))
        for key, rack in facility.racks.items()
        if key in now.racks
    ]
    return facility_titles(racks, total_power([one.power for one in now.racks.values()]), now.t_ms)


def _devices(page: FacilityPage) -> list[str]:
    return [d.key for d in page.facility.devices.values() if page.site is None or d.site == page.site]


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
    basis = None if page.day.powers is None else page.day.powers[rack.key].basis
    now = page.live.racks[rack.key]
    return rack_now(page.facility, page.latest, rack, now, basis=basis, alerts=page.alerts.get(rack.key))


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
