"""List alerts, acknowledge one, and set the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Literal

from app.domain.alerts import RULES, AlertLevel, Rule, RuleSettings, Silence, changed
from app.errors import Conflict, Invalid, Mistake, NotFound
from app.services.alerts.evaluation import rule_settings
from app.services.alerts.receivers import ReceiverLine, receiver_lines
from app.services.alerts.silencing import silences_now
from app.services.alerts.stores import AlertStores
from app.services.alerts.undecided import UndecidedRule, undecided_rules
from app.services.devices import responds
from app.services.facility import SiteName, site_name
from app.services.live import Snapshot
from app.services.timeseries import LatestReadings
from app.store.alerts import Acknowledged, AlertCounts, AlertFilter, StoredAlert
from app.store.jobs import BadCursor

LevelName = Literal["warn", "crit"]
LEVELS: Mapping[LevelName, AlertLevel] = {"warn": AlertLevel.WARN, "crit": AlertLevel.CRIT}
LONGEST_TEXT = 500


@dataclass(frozen=True)
class RuleLine:
    """A rule, its settings and defaults, and what its thresholds are a share of."""

    name: str
    title: str
    about: str
    warn_of: str
    crit_of: str
    settings: RuleSettings
    defaults: RuleSettings


@dataclass(frozen=True)
class AlertsPage:
    """Active alerts, the latest past ones, the rules, and those that wait for readings; `next`, `past_next`: cursors of
    the lists; `responding`: devices of active alerts that respond again.
    """

    now_ms: int
    site: SiteName
    counts: AlertCounts
    items: Sequence[StoredAlert]
    past: Sequence[StoredAlert]
    next: str | None
    past_next: str | None
    rules: Sequence[RuleLine]
    undecided: Sequence[UndecidedRule]
    responding: Set[str]
    silences: Sequence[Silence]
    receivers: Sequence[ReceiverLine]


def list_alerts(
    stores: AlertStores, which: AlertFilter, limit: int, cursor: str | None = None
) -> tuple[list[StoredAlert], str | None]:
    """Return a page of alerts and the cursor of the next one.

    Raises
    ------
    Invalid
        The cursor does not belong to this list.
    """
    try:
        return stores.alerts.listing(which, limit, cursor)
    except BadCursor as bad:
        raise Invalid(str(bad), bad.hint, code="bad_cursor") from bad


def responding_again(stores: AlertStores, alerts: Iterable[StoredAlert], latest: LatestReadings) -> frozenset[str]:
    """Return the devices that respond now although an alert that they are silent has not ended yet."""
    now_ms = stores.now_ms()
    devices = stores.facility.at(now_ms).devices
    silent = [
        devices[s.alert.subject] for s in alerts if s.alert.rule == "device_silent" and s.alert.subject in devices
    ]
    return frozenset(device.key for device in silent if responds(device, latest, now_ms))


def read_alerts_page(
    stores: AlertStores,
    now: Snapshot,
    latest: LatestReadings,
    start_ms: int | None = None,
    end_ms: int | None = None,
    limit: int = 100,
) -> AlertsPage:
    """Read everything that the alerts page shows; of past alerts those that were active in a window."""
    now_ms = stores.now_ms()
    items, following = list_alerts(stores, AlertFilter(), limit)
    past, past_next = list_alerts(stores, AlertFilter(past=True, from_ms=start_ms, to_ms=end_ms), 50)
    site = site_name(stores.facility.at(now_ms), None)
    return AlertsPage(
        now_ms=now_ms,
        site=site,
        counts=stores.alerts.counts(),
        items=items,
        past=past,
        next=following,
        past_next=past_next,
        rules=rule_lines(stores),
        undecided=undecided_rules(stores, now, latest),
        responding=responding_again(stores, items, latest),
        silences=silences_now(stores),
        receivers=receiver_lines(stores),
    )


def acknowledge(stores: AlertStores, id_: int, by: str, note: str) -> StoredAlert:
    """Acknowledge an alert; it stays active until it ends. A second acknowledgement replaces the first.

    Raises
    ------
    NotFound, Conflict
        There is no such alert; it has ended.
    """
    is_active = stores.alerts.acknowledge(id_, Acknowledged(stores.now_ms(), by, note))
    stored = stores.alerts.get(id_)
    if stored is None:
        raise NotFound(f"there is no alert {id_}", "GET /api/v1/alerts lists them")
    if not is_active:
        raise Conflict(
            f"alert {id_} has already ended", "GET /api/v1/alerts lists the active ones; there is nothing left to do"
        )
    return stored


def rule_lines(stores: AlertStores) -> list[RuleLine]:
    """Return every rule with its settings."""
    settings = rule_settings(stores)
    return [_rule(rule, settings[name]) for name, rule in RULES.items()]


def set_rule(stores: AlertStores, name: str, given: Mapping[str, object]) -> RuleLine:
    """Set a rule; settings that are not given return to their defaults.

    Raises
    ------
    NotFound, Invalid
        There is no such rule; all invalid settings.
    """
    rule = RULES.get(name)
    if rule is None:
        raise NotFound(f"there is no rule {name!r}", f"one of {', '.join(RULES)}")
    settings = changed(rule, given)
    if not isinstance(settings, RuleSettings):
        first, more = settings[0], len(settings) - 1
        raise Invalid(
            f"rule {name}: {first.field}: {first.detail}{f' (and {more} more)' if more else ''}",
            first.hint,
            code="bad_rule",
            errors=[Mistake(f"body.{field}", detail, hint) for field, detail, hint in settings],
        )
    defaults = asdict(rule.defaults)
    content = {key: value for key, value in asdict(settings).items() if value != defaults[key]}
    stores.alerts.set_rule(name, content, stores.now_ms())
    return _rule(rule, settings)


def _rule(rule: Rule, settings: RuleSettings) -> RuleLine:
    return RuleLine(rule.name, rule.title, rule.about, rule.warn_of, rule.crit_of, settings, rule.defaults)
