"""Receivers of alerts, and silences, as the alerts page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from app.domain.alerts import AlertLevel, Silence
from app.models import TimeMs, sent_as
from app.services.alerts import ReceiverLine


@dataclass(frozen=True)
class SilenceLine:
    """A silence that applies now (`active`) or later (`planned`); without rule, rack, device and node it is about every
    alert.
    """

    id: int
    state: Literal["active", "planned", "over"]
    start_ms: Annotated[TimeMs, sent_as("start")]
    end_ms: Annotated[TimeMs, sent_as("end")]
    by: str
    note: str
    rule: str | None
    rack: str | None
    device: str | None
    node: str | None


@dataclass(frozen=True)
class ReceiverView:
    """A receiver: which alerts it is sent, its last answer (`working`: whether it accepted), and how many alerts wait.

    `rules`: empty for all. `quiet`: hours in which it is sent critical alerts only, in its time zone.
    """

    name: str
    form: str
    host: str
    level: str
    rules: Sequence[str]
    quiet: str
    working: bool | None
    answer: str
    tried_ms: Annotated[TimeMs | None, sent_as("tried")]
    waiting: int


def silence_line(silence: Silence, now_ms: int) -> SilenceLine:
    """Return a silence as a line of a list."""
    return SilenceLine(
        id=silence.id,
        state="over" if silence.end_ms <= now_ms else "active" if silence.start_ms <= now_ms else "planned",
        start_ms=silence.start_ms,
        end_ms=silence.end_ms,
        by=silence.made_by,
        note=silence.note,
        rule=silence.rule,
        rack=silence.rack,
        device=silence.device,
        node=silence.node,
    )


def receiver_view(line: ReceiverLine) -> ReceiverView:
    """Return a receiver as a line of a list."""
    receiver, state = line.receiver, line.state
    quiet = receiver.quiet
    return ReceiverView(
        name=receiver.name,
        form=receiver.form,
        host=receiver.host,
        level="crit" if receiver.level is AlertLevel.CRIT else "warn",
        rules=receiver.rules,
        quiet=f"{quiet.start:%H:%M}–{quiet.end:%H:%M} {quiet.timezone}" if quiet else "",
        working=state.is_working if state else None,
        answer=state.answer if state else "",
        tried_ms=state.tried_ms if state else None,
        waiting=line.waiting,
    )
