"""The life of an alert: it opens when something lasted, closes when it was over for a while, and is opened once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from app.domain.alerts.rules import RuleSettings


class AlertLevel(IntEnum):
    """How bad it is."""

    OK = 0
    WARN = 1
    CRIT = 2


class Grade(NamedTuple):
    """The level of a value, and the level it is still at when the margin counts, which is never lower."""

    level: AlertLevel
    held: AlertLevel


@dataclass(frozen=True)
class AlertFinding:
    """What one look saw of one subject.

    Attributes
    ----------
    grade: None where nothing can be told now (no readings).
    value, limit: in `unit`; `limit` is that of the level, or of the warning.
    t_ms: when the value was; of a missing one, when it was last told.
    began_ms: since when it is so, where the finding knows that better than who looks.
    detail: more about it in words, such as a cause. device, rack, node: where it belongs.
    """

    subject: str
    grade: Grade | None
    t_ms: int
    began_ms: int | None = None
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    detail: str = ""
    device: str | None = None
    rack: str | None = None
    node: str | None = None


@dataclass(frozen=True)
class Alert:
    """An alert of a rule about a subject: waiting (not open yet), active (`opened_ms`), or past (`until_ms`).

    Attributes
    ----------
    level: now; of a past one, the highest it reached. worst_level: the highest so far.
    since_ms: since when it was so. missing_ms: since when nothing is told; None while something is.
    warn_pending_ms, crit_pending_ms: since when that level begins (or ends), while it has not lasted long enough.
    ended: why it is past, where it did not just end.
    """

    rule: str
    subject: str
    level: AlertLevel
    since_ms: int
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    detail: str = ""
    device: str | None = None
    rack: str | None = None
    node: str | None = None
    opened_ms: int | None = None
    worst: float | None = None
    worst_ms: int | None = None
    worst_level: AlertLevel = AlertLevel.WARN
    missing_ms: int | None = None
    until_ms: int | None = None
    ended: str = ""
    warn_pending_ms: int | None = None
    crit_pending_ms: int | None = None

    @property
    def is_active(self) -> bool:
        """Whether it is open and not over."""
        return self.opened_ms is not None and self.until_ms is None


def grade(value: float, warn: float, crit: float | None, margin: float) -> Grade:
    """The level of a value above limits; `margin` in its unit. At a critical limit it is critical, else above counts.

    A breaker's rating is what it carries at most, so that the rating itself is critical; a limit for continuous load
    may be reached.
    """

    def level(m: float) -> AlertLevel:
        if crit is not None and value >= crit - m:
            return AlertLevel.CRIT
        return AlertLevel.WARN if value > warn - m else AlertLevel.OK

    return Grade(level(0.0), level(margin))


CLEAR = Grade(AlertLevel.OK, AlertLevel.OK)


def at(level: AlertLevel) -> Grade:
    """What is or is not, without a margin."""
    return Grade(level, level)


def measured(
    subject: str,
    value: float | None,
    t_ms: int,
    unit: str,
    warn: float,
    crit: float | None,
    margin: float,
    place: Mapping[str, str | None],
    detail: str = "",
) -> AlertFinding:
    """What a measured value against its limits says; `value`, limits and `margin` in `unit`."""
    if value is None or math.isnan(value):
        return AlertFinding(subject, None, t_ms, None, None, warn, unit, detail, **place)
    told = grade(value, warn, crit, margin)
    limit = crit if told.level is AlertLevel.CRIT else warn
    return AlertFinding(subject, told, t_ms, None, value, limit, unit, detail, **place)


def step(
    alert: Alert | None, rule: str, found: AlertFinding | None, settings: RuleSettings, now_ms: int
) -> Alert | None:
    """The alert after one more look; None where there is none, or none any more.

    Parameters
    ----------
    alert: waiting or active. found: None where the subject is not among what the rule found.

    Notes
    -----
    Missing readings neither open nor close: what waits is forgotten, what is active stays and knows since when.
    Time is that of the readings, so that an old reading seen twice lasts no longer.
    """
    if not settings.enabled:
        return _over(alert, now_ms, "the rule was turned off") if alert and alert.is_active else None
    if alert is None:
        if found is None or found.grade is None or found.grade.level is AlertLevel.OK:
            return None
        alert = Alert(rule, found.subject, AlertLevel.OK, found.t_ms if found.began_ms is None else found.began_ms)
    if found is not None and found.grade is None:
        if not alert.is_active:
            return None
        since_ms = found.t_ms if alert.missing_ms is None else alert.missing_ms
        return replace(alert, missing_ms=since_ms, warn_pending_ms=None, crit_pending_ms=None)
    told = found.grade if found is not None and found.grade is not None else CLEAR
    t_ms = found.t_ms if found is not None else now_ms
    warn = _turn(alert.is_active, alert.warn_pending_ms, told, AlertLevel.WARN, t_ms, settings)
    crit = _turn(alert.level is AlertLevel.CRIT, alert.crit_pending_ms, told, AlertLevel.CRIT, t_ms, settings)
    alert = replace(_as_found(alert, found), warn_pending_ms=warn.turn_ms, crit_pending_ms=crit.turn_ms)
    if not warn.on:
        if alert.is_active:
            return _over(alert, warn.since_ms, "" if found is not None else "no longer found")
        return alert if warn.turn_ms is not None else None
    level = AlertLevel.CRIT if crit.on else AlertLevel.WARN
    opened_ms = now_ms if alert.opened_ms is None else alert.opened_ms
    return replace(alert, level=level, worst_level=max(alert.worst_level, level), opened_ms=opened_ms)


class _Latch(NamedTuple):
    """Whether a level is on, since when it is about to turn, and when it turned if it just did."""

    on: bool
    turn_ms: int | None
    since_ms: int


def _turn(on: bool, turn_ms: int | None, told: Grade, level: AlertLevel, t_ms: int, settings: RuleSettings) -> _Latch:
    wanted = (told.held if on else told.level) >= level
    if wanted == on:
        return _Latch(on, None, t_ms)
    since_ms = t_ms if turn_ms is None else turn_ms
    lasts_ms = 1000.0 * (settings.clear_s if on else settings.for_s)
    return _Latch(wanted, None, since_ms) if t_ms - since_ms >= lasts_ms else _Latch(on, since_ms, since_ms)


def _as_found(alert: Alert, found: AlertFinding | None) -> Alert:
    """The alert with what was seen of it now; its worst is that of the time it was above the limit."""
    if found is None:
        return replace(alert, missing_ms=None)
    alert = replace(
        alert,
        value=alert.value if found.value is None else found.value,
        limit=alert.limit if found.limit is None else found.limit,
        unit=found.unit or alert.unit,
        detail=found.detail or alert.detail,
        device=found.device or alert.device,
        rack=found.rack or alert.rack,
        node=found.node or alert.node,
        missing_ms=None,
    )
    if found.value is not None and (alert.worst is None or found.value > alert.worst):
        alert = replace(alert, worst=found.value, worst_ms=found.t_ms)
    return alert


def _over(alert: Alert, until_ms: int, why: str) -> Alert:
    still = replace(alert, missing_ms=None, warn_pending_ms=None, crit_pending_ms=None)
    return replace(still, until_ms=until_ms, ended=why, level=alert.worst_level)


def steps(
    known: Mapping[str, Alert], rule: str, found: Mapping[str, AlertFinding], settings: RuleSettings, now_ms: int
) -> dict[str, tuple[Alert | None, Alert | None]]:
    """What changes: subject → the alert before and after. `known` are those of the rule that are not over."""
    changes = {}
    for subject in known.keys() | found.keys():
        before = known.get(subject)
        after = step(before, rule, found.get(subject), settings, now_ms)
        if after != before:
            changes[subject] = (before, after)
    return changes
