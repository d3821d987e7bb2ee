"""The facility at a glance: what it draws against what it may, by rack, and what needs a look."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.curve import Curve, add, coverage, value_at
from app.domain.energy import energy_j
from app.domain.headroom import phase_imbalance_pct
from app.domain.statistics import statistics
from app.errors import NotFound
from app.figures import facility as figures
from app.figures.facility import RackNow
from app.figures.theme import PENDING_MS, Figure, Window, holes
from app.services.changes import Change, changes
from app.services.context import Context
from app.services.devices import Devices, device_states
from app.services.fresh import Fresh, fresh
from app.services.live import Snapshot, take
from app.services.rack_power import LINE, RackPower, pdus_in, rack_totals
from app.services.view_window import DAY_MS, HOUR_MS
from app.store.snapshot import Facility, Rack
from collectors.frame import Quantity


@dataclass(frozen=True)
class SiteName:
    """What the page is headed by."""

    key: str | None
    label: str


@dataclass(frozen=True)
class Total:
    """The last 24 h of all racks together.

    The maximum is that of their sum, which is defined where every rack is covered; the energy is the sum of the racks'
    own, and its coverage is rack-time covered / rack-time wanted.
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
    devices: Devices
    changes: Sequence[Change]
    figures: Mapping[str, Figure]


def facility_view(context: Context, site: str | None = None) -> FacilityView:
    """The facility page, of one site or of all.

    Raises
    ------
    NotFound
        There is no such site.
    """
    now = context.now_ms()
    start = now - DAY_MS
    facility = context.facility.at(now)
    if site is not None and site not in facility.sites:
        raise NotFound(f"there is no site {site!r}", f"one of {', '.join(facility.sites) or 'none yet'}")
    chosen = [r for r in facility.racks.values() if site is None or r.site == site]
    powers = rack_totals(context, facility, [r.key for r in chosen], start, now)
    latest, live = fresh(context), take(context)
    racks = [_rack_now(facility, rack, powers[rack.key], latest, live) for rack in chosen]
    usable = _known_sum([r.usable_w for r in racks])
    curves = {r.title: powers[r.key].total for r in chosen if len(powers[r.key].total)}
    total = add(list(curves.values()))
    devices = device_states(context, facility, latest, site)
    return FacilityView(
        now_ms=now,
        site=site_name(facility, site),
        title=figures.site_title(_known_sum([r.power_w for r in racks], missing_is_none=False), usable),
        total=_total(total, list(powers.values()), usable, start, now),
        racks=racks,
        titles=figures.hall_titles(racks, now),
        worst_titles=figures.worst_titles(racks, now),
        devices=devices,
        changes=changes(context, facility, devices.silent, start, now),
        figures={"day": figures.day(total, curves, usable, Window(start, now, "24 h"))},
    )


def site_name(facility: Facility, site: str | None) -> SiteName:
    """The site asked for, the only one, or how many there are."""
    if site is None and len(facility.sites) == 1:
        site = next(iter(facility.sites))
    if site is not None:
        return SiteName(site, facility.sites[site].title)
    return SiteName(None, f"{len(facility.sites)} sites" if facility.sites else "No site yet")


def _rack_now(facility: Facility, rack: Rack, power: RackPower, latest: Fresh, live: Snapshot) -> RackNow:
    pdus = [d.key for d in pdus_in(facility, rack.key)]
    sources = pdus if power.basis == "inlets" else sorted(
        {feed.device for node in facility.nodes_in(rack.key) for feed in facility.powering(node.key)}
    )  # fmt: skip
    interval = max((r.interval_s for r in latest.of(sources, Quantity.POWER)), default=None)
    room = facility.rooms.get(rack.room) if rack.room else None
    return RackNow(
        key=rack.key,
        label=rack.title,
        room=rack.room,
        room_label=room.title if room else rack.room,
        row=rack.row,
        position=rack.position,
        power_w=live.racks[rack.key]["power_w"],
        t_ms=live.racks[rack.key]["t"],
        usable_w=rack.capacity_w,
        imbalance_pct=_worst_imbalance(pdus, latest),
        inlet_c=max((r.value for r in latest.of(pdus, Quantity.TEMPERATURE) if r.value is not None), default=None),
        interval_s=interval,
    )


def _worst_imbalance(pdus: Sequence[str], latest: Fresh) -> float | None:
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
        gaps=len(holes(total, Window(start_ms, now_ms))),
        delta_hour_w=None if math.isnan(last - then) else last - then,
    )
