"""Alerts as the lines of a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from app.domain.alerts import Alert, AlertLevel
from app.domain.timeseries import rfc3339
from app.presentation.alerts import alert_text as words
from app.presentation.text import count, duration
from app.store.alerts import StoredAlert

MOST_LINES = 30
LineState = Literal["critical", "warning", "over"]


@dataclass(frozen=True)
class MessageLine:
    """One alert of a message; `link` is the page that shows it."""

    state: LineState
    title: str
    description: str
    link: str


def headline(waiting: Sequence[StoredAlert]) -> str:
    """Return what a message is about: its only alert, or how many there are of each state."""
    if len(waiting) == 1:
        return f"Wattline: {_state(waiting[0].alert)}: {words.title(waiting[0].alert)}"
    states = [_state(one.alert) for one in waiting]
    parts = [f"{states.count(state)} {state}" for state in ("critical", "warning", "over") if state in states]
    return f"Wattline: {', '.join(parts)}"


def message_lines(waiting: Sequence[StoredAlert], server: str) -> list[MessageLine]:
    """Return a line for each alert, critical ones first; after 30, the last line counts the others."""
    order = {"critical": 0, "warning": 1, "over": 2}
    lines = sorted((_line(one.alert, server) for one in waiting), key=lambda line: order[line.state])
    others = lines[MOST_LINES:]
    more = (
        MessageLine(others[0].state, f"{count(len(others), 'more alert')}", "", f"{server}/alerts") if others else None
    )
    return [*lines[:MOST_LINES], *([more] if more else [])]


def _line(alert: Alert, server: str) -> MessageLine:
    return MessageLine(_state(alert), words.title(alert), _description(alert), f"{server}{words.href(alert)}")


def _state(alert: Alert) -> LineState:
    if alert.until_ms is not None:
        return "over"
    return "critical" if alert.level is AlertLevel.CRIT else "warning"


def _description(alert: Alert) -> str:
    parts = [words.missing(alert), words.reason(alert), words.todo(alert) if alert.until_ms is None else ""]
    if alert.until_ms is not None:
        lasted = duration((alert.until_ms - alert.since_ms) / 1000)
        parts.append(f"from {rfc3339(alert.since_ms)} to {rfc3339(alert.until_ms)}, {lasted}")
        parts.append(alert.ended)
    return ". ".join(part for part in parts if part)
