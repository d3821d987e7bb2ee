"""Looking after alerts: every rule is asked, what changed is kept. Several processes may do it on one database."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from app.domain.alerts import RULES, Alert, AlertFinding, RuleSettings, changed, steps
from app.presentation.alerts import title
from app.services.alerts.device_findings import disagreements, told
from app.services.alerts.failover_findings import failovers
from app.services.alerts.findings import AlertContext, circuits, look_now, racks, silent, temperatures
from app.services.alerts.stores import AlertStores
from app.store.alerts import Change
from app.store.database import acquire_task_lock, writing

TURN_MS = 60_000
_LOG = logging.getLogger(__name__)
Finder = Callable[[AlertContext, RuleSettings], Iterable[AlertFinding]]
QUICK: Mapping[str, Finder] = {
    "circuit_load": circuits,
    "failover": failovers,
    "rack_load": racks,
    "device_silent": silent,
    "inlet_temperature": temperatures,
    "device_event": told,
}
"""Rules that the newest readings answer."""
SLOW: Mapping[str, Finder] = {"meters_disagree": disagreements}
"""Rules that read an hour."""


def rule_settings(stores: AlertStores) -> dict[str, RuleSettings]:
    """How every rule is set. What was stored by a version that allowed more counts as not changed."""
    stored = stores.alerts.rules()
    found = {}
    for name, rule in RULES.items():
        settings = changed(rule, stored.get(name, {}))
        found[name] = settings if isinstance(settings, RuleSettings) else rule.defaults
    return found


def watch(stores: AlertStores, holder: str, finders: Mapping[str, Finder] = QUICK) -> list[Change]:
    """Ask some rules, keep what became of their alerts, return what changed; nothing where another process does it."""
    task = f"alerts: {', '.join(finders)}"
    with writing(stores.engine) as connection:
        if not acquire_task_lock(connection, task, holder, stores.now_ms(), TURN_MS):
            return []
        known = stores.alerts.unfinished(connection, finders)
    settings = rule_settings(stores)
    look = look_now(stores)
    changes: list[Change] = []
    for name, find in finders.items():
        mine = {subject: alert for (rule, subject), alert in known.items() if rule == name}
        found = {one.subject: one for one in find(look, settings[name])} if settings[name].enabled else {}
        changes += steps(mine, name, found, settings[name], look.now_ms).values()
    if changes:
        with writing(stores.engine) as connection:
            if not acquire_task_lock(connection, task, holder, stores.now_ms(), TURN_MS):
                return []
            stores.alerts.save(connection, changes)
    _tell(changes)
    return changes


def _tell(changes: Iterable[Change]) -> None:
    for before, after in changes:
        if opened(before, after):
            assert after is not None
            _LOG.warning("alert: %s", title(after))
        elif closed(before, after):
            assert after is not None
            _LOG.warning("alert is over: %s", title(after))


def opened(before: Alert | None, after: Alert | None) -> bool:
    """Whether an alert just opened."""
    return after is not None and after.is_active and not (before is not None and before.is_active)


def closed(before: Alert | None, after: Alert | None) -> bool:
    """Whether an alert just ended."""
    return after is not None and after.until_ms is not None and before is not None and before.is_active
