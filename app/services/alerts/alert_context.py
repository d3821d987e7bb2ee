"""Everything that one evaluation of the alert rules reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from app.domain.devices import NO_COLLECTOR
from app.domain.energy import KnownPower
from app.domain.timeseries import TimeWindow
from app.services.accounts import ProjectEnergy
from app.services.alerts.event_kinds import EVENT_AGE_MS, EVENT_KINDS
from app.services.alerts.stores import AlertStores
from app.services.checks import Checked, cross_checks
from app.services.devices import OVERRUN, Silent, device_states
from app.services.live import racks_now
from app.services.timeseries import LatestReadings, read_latest
from app.store.devices import Collector, DeviceEvent, RefusedReading
from app.store.facility import Facility
from collectors.contract import DAY_MS, HOUR_MS


@dataclass(frozen=True)
class AlertContext:
    """Everything that rules are evaluated from, read once.

    Attributes
    ----------
    racks: power of racks now. silent: devices that do not respond. events: reports of devices, oldest first.
    checks: cross-checks of the last hour; empty unless a rule needs them.
    refused: readings refused in the last 24 hours. collectors: those that did not give their lease back.
    unfinished: subjects of pending and active alerts; of others no finding is needed where all is well.
    failures: failed polls of the last hour, by device. given_back: devices that no collector leases since one stopped.
    project_energy: read only where a rule needs it.
    """

    facility: Facility
    latest: LatestReadings
    now_ms: int
    racks: Mapping[str, KnownPower]
    silent: Sequence[Silent]
    events: Sequence[DeviceEvent]
    checks: Sequence[Checked]
    refused: Sequence[RefusedReading] = ()
    collectors: Sequence[Collector] = ()
    unfinished: Set[str] = frozenset()
    failures: Mapping[str, int] = field(default_factory=dict)
    given_back: frozenset[str] = frozenset()
    project_energy: ProjectEnergy = field(default_factory=dict)


def read_alert_context(stores: AlertStores, check_ms: int = 0, unfinished: Set[str] = frozenset()) -> AlertContext:
    """Read the facility, the latest readings, device events, and the cross-checks of the last `check_ms` (0: none)."""
    now_ms = stores.now_ms()
    facility, latest = stores.facility.at(now_ms), read_latest(stores)
    window = TimeWindow(now_ms - check_ms, now_ms)
    return AlertContext(
        facility=facility,
        latest=latest,
        now_ms=now_ms,
        racks=racks_now(stores, facility, latest),
        silent=device_states(stores, facility, latest).silent,
        events=stores.health.events_among(EVENT_KINDS, now_ms - EVENT_AGE_MS, now_ms + 1),
        checks=cross_checks(stores, window).items if check_ms else (),
        refused=stores.refusals.since(now_ms - DAY_MS),
        collectors=stores.leases.collectors(),
        unfinished=unfinished,
        failures={key: len(times) for key, times in stores.health.failed_ms(now_ms - HOUR_MS, OVERRUN).items()},
        given_back=stores.leases.held_by(NO_COLLECTOR),
    )
