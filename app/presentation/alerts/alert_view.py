"""Alerts as lists and the alerts page show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from app.domain.alerts import Silence, silence_of
from app.models import TimeMs, sent_as
from app.presentation.alerts import alert_text as words
from app.presentation.alerts.receiver_view import ReceiverView, SilenceLine, receiver_view, silence_line
from app.presentation.text import missing_names
from app.services.alerts import LEVELS, AlertsPage, LevelName, RuleLine, UndecidedRule
from app.services.facility import SiteName
from app.store.alerts import Acknowledged, AlertCounts, StoredAlert

_NAMES = {level: name for name, level in LEVELS.items()}
_UNDECIDED = {
    "rack_load": "load",
    "circuit_load": "circuits",
    "failover": "failover",
    "inlet_temperature": "inlet temperature",
}


@dataclass(frozen=True)
class Worst:
    """The worst value of an alert so far."""

    value: float | None
    t_ms: Annotated[TimeMs | None, sent_as("t")]
    level: str


@dataclass(frozen=True)
class AlertLine:
    """An alert: what is wrong, the value against its limit, since when, the suggested action and the page to look at.

    `no_readings_since_ms`: since when its readings, or a part of them, are missing; `missing`: which part, in words.
    `until_ms`, `ended`: when it ended, and why. `muted_by`: what causes it, so that no receiver is sent it;
    `silenced_until_ms`: the end of its silence; `can_be_closed`: whether a user may end it. `recovering`: its condition
    is over, but not yet for long enough to end it.
    """

    id: int
    rule: str
    level: LevelName
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
    since_ms: Annotated[TimeMs, sent_as("since")]
    opened_ms: Annotated[TimeMs | None, sent_as("opened")]
    worst: Worst
    no_readings_since_ms: Annotated[TimeMs | None, sent_as("no_readings_since")]
    missing: str
    until_ms: Annotated[TimeMs | None, sent_as("until")]
    ended: str
    acknowledged: Acknowledged | None
    muted_by: str | None
    silenced_until_ms: Annotated[TimeMs | None, sent_as("silenced_until")]
    can_be_closed: bool
    recovering: bool


@dataclass(frozen=True)
class UndecidedLine:
    """A rule that waits for readings of a subject: what is undecided, and what is missing, in words."""

    rule: str
    subject: str
    about: str
    missing: str
    href: str


@dataclass(frozen=True)
class AlertsView:
    """Everything the alerts page shows."""

    now_ms: Annotated[TimeMs, sent_as("now")]
    site: SiteName
    counts: AlertCounts
    items: Sequence[AlertLine]
    past: Sequence[AlertLine]
    next: str | None
    past_next: str | None
    rules: Sequence[RuleLine]
    undecided: Sequence[UndecidedLine]
    silences: Sequence[SilenceLine]
    receivers: Sequence[ReceiverView]


def alerts_view(page: AlertsPage) -> AlertsView:
    """Return the alerts page."""
    return AlertsView(
        now_ms=page.now_ms,
        site=page.site,
        counts=page.counts,
        items=alert_lines(page.items, page.silences, page.now_ms, page.responding),
        past=alert_lines(page.past),
        next=page.next,
        past_next=page.past_next,
        rules=page.rules,
        undecided=undecided_lines(page.undecided),
        silences=[silence_line(one, page.now_ms) for one in page.silences],
        receivers=[receiver_view(one) for one in page.receivers],
    )


def undecided_lines(waiting: Iterable[UndecidedRule]) -> list[UndecidedLine]:
    """Return the rules that wait for readings as lines of a list."""
    return [
        UndecidedLine(
            one.rule,
            one.subject,
            f"{_UNDECIDED[one.rule]} of {one.label}",
            missing_names(one.missing, len(one.missing)),
            f"/devices/{quote(one.device)}" if one.device else f"/racks/{quote(one.rack or '')}",
        )
        for one in waiting
    ]


def alert_lines(
    alerts: Iterable[StoredAlert],
    silences: Sequence[Silence] = (),
    now_ms: int = 0,
    responding: Set[str] = frozenset(),
) -> list[AlertLine]:
    """Return alerts as lines of a list.

    Parameters
    ----------
    silences: those that may apply to active alerts now. responding: silent devices that respond again.
    """
    return [alert_line(stored, silence_of(stored.alert, silences, now_ms), responding) for stored in alerts]


def alert_line(stored: StoredAlert, silence: Silence | None = None, responding: Set[str] = frozenset()) -> AlertLine:
    """Return an alert, and its silence, as a line of a list."""
    alert = stored.alert
    recovering = alert.is_recovering or (
        alert.is_active and alert.rule == "device_silent" and alert.subject in responding
    )
    return AlertLine(
        id=stored.id,
        rule=alert.rule,
        level=_NAMES[alert.level],
        subject=alert.subject,
        device=alert.device,
        rack=alert.rack,
        node=alert.node,
        about=words.about(alert, recovering=recovering),
        amount=words.amount(alert, recovering=recovering),
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
        missing=words.missing(alert),
        until_ms=alert.until_ms,
        ended=alert.ended,
        acknowledged=stored.acknowledged,
        muted_by=alert.muted_by,
        silenced_until_ms=None if silence is None else silence.end_ms,
        can_be_closed=alert.rule == "device_event" and alert.is_active,
        recovering=recovering,
    )
