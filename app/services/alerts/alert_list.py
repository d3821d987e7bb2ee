"""Alerts for people and programs: lists, taking one on, setting the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from app.domain.alerts import RULES, AlertLevel, Rule, RuleSettings, changed
from app.errors import Conflict, Invalid, Mistake, NotFound
from app.presentation.alerts import alert_text as words
from app.services.alerts.evaluation import rule_settings
from app.services.alerts.stores import AlertStores
from app.services.facility import SiteName, site_name
from app.store.alerts import Acknowledged, AlertCounts, AlertFilter, StoredAlert
from app.store.jobs import BadCursor

LEVELS: Mapping[str, AlertLevel] = {"warn": AlertLevel.WARN, "crit": AlertLevel.CRIT}
_NAMES = {level: name for name, level in LEVELS.items()}
LONGEST_TEXT = 500


@dataclass(frozen=True)
class Worst:
    """The worst of an alert so far."""

    value: float | None
    t_ms: int | None
    level: str


@dataclass(frozen=True)
class AlertLine:
    """An alert as it is told: what is wrong, how much against which limit, since when, what to do, where to look.

    `missing_ms`: since when nothing is told about it. `until_ms`, `ended`: when it was over, and why.
    """

    id: int
    rule: str
    level: str
    subject: str
    device: str | None
    rack: str | None
    node: str | None
    about: str
    amount: str
    reason: str
    todo: str
    href: str
    value: float | None
    limit: float | None
    unit: str
    since_ms: int
    opened_ms: int | None
    worst: Worst
    no_readings_since_ms: int | None
    until_ms: int | None
    ended: str
    acknowledged: Acknowledged | None


@dataclass(frozen=True)
class RuleLine:
    """A rule, its settings and its defaults, and what its thresholds are in."""

    name: str
    title: str
    about: str
    warn_of: str
    crit_of: str
    settings: RuleSettings
    defaults: RuleSettings


@dataclass(frozen=True)
class AlertsView:
    """Everything the page of alerts shows beside the past."""

    now_ms: int
    site: SiteName
    counts: AlertCounts
    items: Sequence[AlertLine]
    past: Sequence[AlertLine]
    next: str | None
    past_next: str | None
    rules: Sequence[RuleLine]


def alert_lines(
    stores: AlertStores, which: AlertFilter, limit: int, cursor: str | None = None
) -> tuple[list[AlertLine], str | None]:
    """A page of alerts, and the cursor of the next.

    Raises
    ------
    Invalid
        The cursor is not of this list.
    """
    try:
        page, following = stores.alerts.listing(which, limit, cursor)
    except BadCursor as bad:
        raise Invalid(str(bad), bad.hint, code="bad_cursor") from bad
    return [_line(one) for one in page], following


def alerts_view(stores: AlertStores, limit: int = 100) -> AlertsView:
    """The page of alerts."""
    now_ms = stores.now_ms()
    items, following = alert_lines(stores, AlertFilter(), limit)
    past, past_next = alert_lines(stores, AlertFilter(past=True), 50)
    site = site_name(stores.facility.at(now_ms), None)
    return AlertsView(now_ms, site, stores.alerts.counts(), items, past, following, past_next, rule_lines(stores))


def acknowledge(stores: AlertStores, id_: int, by: str, note: str) -> AlertLine:
    """Take an alert on; it stays active until it is over. Again: the newest word counts.

    Raises
    ------
    NotFound, Conflict
        There is no such alert; it is over.
    """
    taken = stores.alerts.acknowledge(id_, Acknowledged(stores.now_ms(), by, note))
    stored = stores.alerts.get(id_)
    if stored is None:
        raise NotFound(f"there is no alert {id_}", "GET /api/v1/alerts lists them")
    if not taken:
        raise Conflict(f"alert {id_} is over already", "nothing is left to do; GET /api/v1/alerts lists what is active")
    return _line(stored)


def rule_lines(stores: AlertStores) -> list[RuleLine]:
    """Every rule."""
    settings = rule_settings(stores)
    return [_rule(rule, settings[name]) for name, rule in RULES.items()]


def set_rule(stores: AlertStores, name: str, given: Mapping[str, object]) -> RuleLine:
    """Set a rule; what is not given has its default.

    Raises
    ------
    NotFound, Invalid
        There is no such rule; everything in the settings that cannot be.
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


def _line(stored: StoredAlert) -> AlertLine:
    alert = stored.alert
    return AlertLine(
        id=stored.id,
        rule=alert.rule,
        level=_NAMES[alert.level],
        subject=alert.subject,
        device=alert.device,
        rack=alert.rack,
        node=alert.node,
        about=words.about(alert),
        amount=words.amount(alert),
        reason=words.reason(alert),
        todo=words.todo(alert),
        href=words.href(alert),
        value=alert.value,
        limit=alert.limit,
        unit=alert.unit,
        since_ms=alert.since_ms,
        opened_ms=alert.opened_ms,
        worst=Worst(alert.worst, alert.worst_ms, _NAMES[alert.worst_level]),
        no_readings_since_ms=alert.missing_ms,
        until_ms=alert.until_ms,
        ended=alert.ended,
        acknowledged=stored.acknowledged,
    )
