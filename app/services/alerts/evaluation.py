"""Evaluate the alert rules and store what changed. Several processes may do so on one database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from app.domain.alerts import RULES, Alert, AlertFinding, RuleSettings, changed, steps
from app.services.accounts import read_project_energy
from app.services.alerts.alert_context import AlertContext, read_alert_context
from app.services.alerts.collector_findings import clocks, silent_collectors
from app.services.alerts.device_findings import active_events, disagreements, lasting_refused
from app.services.alerts.failover_findings import failovers
from app.services.alerts.findings import budgets, circuits, racks, silent, temperatures
from app.services.alerts.stores import AlertStores
from app.services.alerts.supply_findings import imbalances, lost_feeds, missing_polls
from app.store.alerts import Change
from app.store.database import acquire_task_lock, writing
from collectors.contract import HOUR_MS

TURN_MS = 60_000
_LOG = logging.getLogger(__name__)
Finder = Callable[[AlertContext, RuleSettings], Iterable[AlertFinding]]
Describe = Callable[[Alert], str]
QUICK: Mapping[str, Finder] = {
    "circuit_load": circuits,
    "failover": failovers,
    "rack_load": racks,
    "device_silent": silent,
    "inlet_temperature": temperatures,
    "device_event": active_events,
    "collector_silent": silent_collectors,
    "collector_clock": clocks,
    "reading_refused": lasting_refused,
    "feed_lost": lost_feeds,
    "phase_imbalance": imbalances,
    "data_quality": missing_polls,
}
"""Rules evaluated from the latest readings."""
SLOW: Mapping[str, Finder] = {"meters_disagree": disagreements, "energy_budget": budgets}
"""Rules that read the last hour, or the energy of this month."""


def _subject(alert: Alert) -> str:
    return f"{alert.rule} {alert.subject}"


def rule_settings(stores: AlertStores) -> dict[str, RuleSettings]:
    """Return the settings of every rule. Stored settings that are no longer valid are replaced by the defaults."""
    stored = stores.alerts.rules()
    found = {}
    for name, rule in RULES.items():
        settings = changed(rule, stored.get(name, {}))
        found[name] = settings if isinstance(settings, RuleSettings) else rule.defaults
    return found


def evaluate(
    stores: AlertStores, holder: str, finders: Mapping[str, Finder] = QUICK, *, describe: Describe = _subject
) -> list[Change]:
    """Evaluate some rules, store what changed in their alerts, and return it; empty while another process does it.

    Parameters
    ----------
    describe: returns an alert as one line for the log.
    """
    task = f"alerts: {', '.join(finders)}"
    with writing(stores.engine) as connection:
        if not acquire_task_lock(connection, task, holder, stores.now_ms(), TURN_MS):
            return []
        known = stores.alerts.unfinished(connection, finders)
    settings = rule_settings(stores)
    unfinished = {subject for _, subject in known}
    is_slow = bool(finders.keys() & SLOW.keys())
    context = read_alert_context(stores, HOUR_MS if is_slow else 0, unfinished)
    if is_slow:
        energy = read_project_energy(stores, context.facility, context.now_ms)
        context = replace(context, project_energy=energy)
    changes: list[Change] = []
    for name, find in finders.items():
        mine = {subject: alert for (rule, subject), alert in known.items() if rule == name}
        found = {one.subject: one for one in find(context, settings[name])} if settings[name].enabled else {}
        changes += steps(mine, name, found, settings[name], context.now_ms).values()
    if changes:
        with writing(stores.engine) as connection:
            if not acquire_task_lock(connection, task, holder, stores.now_ms(), TURN_MS):
                return []
            stores.alerts.save(connection, changes)
    _log(changes, describe)
    return changes


def _log(changes: Iterable[Change], describe: Describe) -> None:
    for before, after in changes:
        if opened(before, after):
            assert after is not None
            _LOG.warning("alert opened: %s", describe(after))
        elif closed(before, after):
            assert after is not None
            _LOG.warning("alert ended: %s", describe(after))


def opened(before: Alert | None, after: Alert | None) -> bool:
    """Return whether an alert just opened."""
    return after is not None and after.is_active and not (before is not None and before.is_active)


def closed(before: Alert | None, after: Alert | None) -> bool:
    """Return whether an alert just ended."""
    return after is not None and after.until_ms is not None and before is not None and before.is_active
