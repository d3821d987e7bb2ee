"""One rack of the facility page, as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.presentation.text import KnownPowerView, known_power_fields
from app.services.capacity import site_margin_pct
from app.services.energy import pdus_in
from app.services.live import BalanceNow, SumBasis, SumNow, balance_now, lines_now
from app.services.timeseries import LatestReadings
from app.store.alerts import AlertCounts
from app.store.facility import Facility, Rack
from collectors.contract import Quantity


@dataclass(frozen=True, kw_only=True)
class RackNow(KnownPowerView):
    """A rack now. None is missing: no reading, or nothing declared.

    Attributes
    ----------
    planning_w: the usable power less the margin of the site. basis: what its power is the sum of.
    alerts, critical: active alerts of the rack, its nodes and its devices, and how many of them are critical.
    substitutes: nodes in its sum that another source than their usual one measures.
    imbalance_pct: of the worst PDU. lines_missing: PDUs of which a line current is missing.
    inlet_c: of the warmest probe. probes_missing: whether a probe is missing.
    interval_s: of the slowest meter behind the power. meters: PDUs of the rack.
    """

    key: str
    label: str
    room: str | None = None
    room_label: str | None = None
    row: str | None = None
    position: int | None = None
    usable_w: float | None = None
    planning_w: float | None = None
    basis: SumBasis = "nodes"
    alerts: int = 0
    critical: int = 0
    imbalance_pct: float | None = None
    lines_missing: Sequence[str] = ()
    inlet_c: float | None = None
    probes_missing: bool = False
    interval_s: float | None = None
    meters: int = 0
    substitutes: Sequence[str] = ()

    @property
    def is_partial(self) -> bool:
        """Return whether a part of its power is missing."""
        return self.missing.count > 0

    @property
    def load_pct(self) -> float | None:
        """Return the share of the usable power [%]; a lower bound while a part is missing."""
        return None if self.known_w is None or not self.usable_w else 100.0 * self.known_w / self.usable_w

    @property
    def estimated_pct(self) -> float | None:
        """Return the share of the usable power with the last value of each missing part [%]."""
        return None if self.estimate_w is None or not self.usable_w else 100.0 * self.estimate_w / self.usable_w

    @property
    def room_w(self) -> float | None:
        """Return what is left of the usable power [W]; at most that while a part is missing."""
        return None if self.known_w is None or not self.usable_w else self.usable_w - self.known_w

    def polls_missed(self, now_ms: int) -> float | None:
        """Return the age of the oldest of its latest readings in nominal intervals."""
        return None if self.t_ms is None else (now_ms - self.t_ms) / 1000.0 / (self.interval_s or 10.0)


def rack_now(
    facility: Facility,
    latest: LatestReadings,
    rack: Rack,
    now: SumNow,
    *,
    basis: SumBasis | None = None,
    balance: BalanceNow | None = None,
    alerts: AlertCounts | None = None,
) -> RackNow:
    """Return a rack as it is now.

    Parameters
    ----------
    now: its power. basis: what its power is the sum of in the window of a page; that of `now` unless given.
    balance: how evenly its PDUs are loaded, if that is known already.
    """
    pdus = [d.key for d in pdus_in(facility, rack.key)]
    basis = basis or now.basis
    sources = pdus if basis == "inlets" else sorted(
        {feed.device for node in facility.nodes_in(rack.key) for feed in facility.powering(node.key)}
    )  # fmt: skip
    room = facility.rooms.get(rack.room) if rack.room else None
    probes = latest.of(pdus, Quantity.TEMPERATURE)
    balance = balance or balance_now(facility, rack.key, {pdu: lines_now(pdu, latest) for pdu in pdus}, latest)
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
