"""The life cycle of an alert: it opens once a condition has lasted, and ends once it has been over for a while."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

from app.domain.alerts.rules import RuleSettings


class AlertLevel(IntEnum):
    """Severity of an alert."""

    OK = 0
    WARN = 1
    CRIT = 2


class Grade(NamedTuple):
    """The level of a value, and its level with the margin, which is never lower."""

    level: AlertLevel
    held: AlertLevel


@dataclass(frozen=True)
class AlertFinding:
    """What one evaluation found about one subject.

    Attributes
    ----------
    grade: None if it cannot be evaluated now (no readings).
    value, limit: in `unit`; `limit` is that of the level, or of the warning.
    t_ms: time of the value; of a missing one, time of the last value.
    began_ms: start of the condition, if the finding knows it better than the time of the evaluation.
    detail: additional text, such as a cause. device, rack, node: where it belongs.
    missing: what is missing of the value, separated by commas; the value is a lower bound then.
    muted_by: what causes it and has an alert of its own.
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
    missing: str | None = None
    muted_by: str | None = None


@dataclass(frozen=True)
class Alert:
    """An alert of a rule about a subject: pending (not open yet), active (`opened_ms`), or past (`until_ms`).

    Attributes
    ----------
    level: the present level; of a past alert, the highest. worst_level: the highest so far.
    since_ms: start of the condition. missing_ms: since when readings are missing; None if they are not.
    missing: what is missing of the value, which is a lower bound then; None if nothing, or everything.
    warn_pending_ms, crit_pending_ms: since when a change of that level is pending, not yet long enough.
    ended: why it ended, if not because the condition was over.
    muted_by: what causes it and has an alert of its own: no receiver is sent this one.
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
    missing: str | None = None
    muted_by: str | None = None

    @property
    def is_active(self) -> bool:
        """Whether it is open and has not ended."""
        return self.opened_ms is not None and self.until_ms is None

    @property
    def is_recovering(self) -> bool:
        """Whether its condition is over, but not yet for long enough to end it."""
        return self.is_active and self.warn_pending_ms is not None


def grade(value: float, warn: float, crit: float | None, margin: float) -> Grade:
    """Return the level of a value above limits; `margin` in its unit. At a critical limit it is critical.

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
    """Return the grade of a condition that is true or false, without a margin."""
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
    missing: str | None = None,
) -> AlertFinding:
    """Return the finding of a measured value against its limits; `value`, limits and `margin` in `unit`.

    `missing`: what is missing of the value, separated by commas; it is a lower bound then.
    """
    if value is None or math.isnan(value):
        return AlertFinding(subject, None, t_ms, None, None, warn, unit, detail, **place)
    graded = grade(value, warn, crit, margin)
    limit = crit if graded.level is AlertLevel.CRIT else warn
    return AlertFinding(subject, graded, t_ms, None, value, limit, unit, detail, **place, missing=missing)


def step(
    alert: Alert | None, rule: str, found: AlertFinding | None, settings: RuleSettings, now_ms: int
) -> Alert | None:
    """Return the alert after one more evaluation; None if there is none, or no longer.

    Parameters
    ----------
    alert: pending or active. found: None if the rule did not find the subject.

    Notes
    -----
    Missing readings neither open nor end an alert: a pending one is dropped, an active one stays with `missing_ms`.
    A value of which a part is missing is a lower bound: it opens and raises an alert, and neither lowers nor ends one.
    Durations are measured in the time of the readings, so that an old reading seen twice does not last longer.
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
        return replace(alert, missing_ms=since_ms, missing=None, warn_pending_ms=None, crit_pending_ms=None)
    graded = found.grade if found is not None and found.grade is not None else CLEAR
    t_ms = found.t_ms if found is not None else now_ms
    if found is not None and found.missing:
        graded = _not_below(graded, alert.level)
    warn = _turn(alert.is_active, alert.warn_pending_ms, graded, AlertLevel.WARN, t_ms, settings)
    crit = _turn(alert.level is AlertLevel.CRIT, alert.crit_pending_ms, graded, AlertLevel.CRIT, t_ms, settings)
    alert = replace(_as_found(alert, found), warn_pending_ms=warn.turn_ms, crit_pending_ms=crit.turn_ms)
    if not warn.on:
        if alert.is_active:
            return _over(alert, warn.since_ms, "" if found is not None else "no longer found")
        return alert if warn.turn_ms is not None else None
    level = AlertLevel.CRIT if crit.on else AlertLevel.WARN
    opened_ms = now_ms if alert.opened_ms is None else alert.opened_ms
    return replace(alert, level=level, worst_level=max(alert.worst_level, level), opened_ms=opened_ms)


class _Latch(NamedTuple):
    """Whether a level is on, since when its change is pending, and when it changed if it just did."""

    on: bool
    turn_ms: int | None
    since_ms: int


def _turn(on: bool, turn_ms: int | None, graded: Grade, level: AlertLevel, t_ms: int, settings: RuleSettings) -> _Latch:
    wanted = (graded.held if on else graded.level) >= level
    if wanted == on:
        return _Latch(on, None, t_ms)
    since_ms = t_ms if turn_ms is None else min(turn_ms, t_ms)  # later only if the clock was set back
    lasts_ms = 1000.0 * (settings.clear_s if on else settings.for_s)
    return _Latch(wanted, None, since_ms) if t_ms - since_ms >= lasts_ms else _Latch(on, since_ms, since_ms)


def _not_below(found: Grade, level: AlertLevel) -> Grade:
    """Return the grade of a lower bound: it holds the level that an alert has."""
    return Grade(found.level, max(found.held, level))


def _as_found(alert: Alert, found: AlertFinding | None) -> Alert:
    """Return the alert with the present finding; its worst value is that of the time above the limit."""
    if found is None:
        return replace(alert, missing_ms=None, missing=None)
    missing_ms = found.t_ms if alert.missing_ms is None else alert.missing_ms
    alert = replace(
        alert,
        value=alert.value if found.value is None else found.value,
        limit=alert.limit if found.limit is None else found.limit,
        unit=found.unit or alert.unit,
        detail=found.detail or alert.detail,
        device=found.device or alert.device,
        rack=found.rack or alert.rack,
        node=found.node or alert.node,
        since_ms=min(alert.since_ms, found.t_ms),
        missing_ms=missing_ms if found.missing else None,
        missing=found.missing,
        muted_by=found.muted_by,
    )
    if found.value is not None and (alert.worst is None or found.value > alert.worst):
        alert = replace(alert, worst=found.value, worst_ms=found.t_ms)
    return alert


def _over(alert: Alert, until_ms: int, why: str) -> Alert:
    still = replace(alert, missing_ms=None, missing=None, warn_pending_ms=None, crit_pending_ms=None)
    return replace(still, until_ms=until_ms, ended=why, level=alert.worst_level)


def steps(
    known: Mapping[str, Alert], rule: str, found: Mapping[str, AlertFinding], settings: RuleSettings, now_ms: int
) -> dict[str, tuple[Alert | None, Alert | None]]:
    """Return the changes: subject → the alert before and after. `known` are the open and pending alerts of the rule."""
    changes = {}
    for subject in known.keys() | found.keys():
        before = known.get(subject)
        after = step(before, rule, found.get(subject), settings, now_ms)
        if after != before:
            changes[subject] = (before, after)
    return changes
