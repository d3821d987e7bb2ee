"""The receivers of alerts that the operator declared, and their state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import time
from typing import Literal
from urllib.parse import urlsplit

from app.domain.alerts import AlertLevel, QuietHours
from app.errors import NotFound
from app.services.alerts.stores import AlertStores
from app.settings import Settings
from app.store.alerts import ReceiverState

Form = Literal["alertmanager", "slack", "mattermost", "teams", "email"]
WEBHOOK = "webhook"
"""The name of the receiver that `WATTLINE_ALERT_WEBHOOK` declares."""


@dataclass(frozen=True)
class Receiver:
    """Something that is sent alerts.

    Attributes
    ----------
    address: a webhook, or `smtp://` of a mail server; it may hold a secret. to, sender: of an e-mail.
    level: the lowest that it is sent. rules: those that it is sent; empty for all.
    quiet: hours in which it is sent critical alerts only.
    """

    name: str
    form: Form
    address: str = field(repr=False)
    to: tuple[str, ...] = ()
    sender: str = ""
    level: AlertLevel = AlertLevel.WARN
    rules: tuple[str, ...] = ()
    quiet: QuietHours | None = None

    @property
    def host(self) -> str:
        """Its host, which is no secret."""
        return urlsplit(self.address).hostname or ""


@dataclass(frozen=True)
class ReceiverLine:
    """A receiver, its last answer, and how many alerts wait for it."""

    receiver: Receiver
    state: ReceiverState | None
    waiting: int


def declared_receivers(settings: Settings) -> list[Receiver]:
    """Return the receivers of the settings."""
    found = []
    if settings.alert_webhook is not None:
        found.append(Receiver(WEBHOOK, "alertmanager", settings.alert_webhook.get_secret_value()))
    for one in settings.alert_receivers:
        quiet = None
        if one.quiet:
            start, end = (time.fromisoformat(part) for part in one.quiet.split("-"))
            quiet = QuietHours(start, end, one.timezone)
        level = AlertLevel.CRIT if one.level == "crit" else AlertLevel.WARN
        address = one.url.get_secret_value()
        found.append(Receiver(one.name, one.form, address, one.to, one.sender, level, one.rules, quiet))
    return found


def receiver_named(stores: AlertStores, name: str) -> Receiver:
    """Return a declared receiver.

    Raises
    ------
    NotFound
    """
    found = {one.name: one for one in declared_receivers(stores.settings)}
    if name not in found:
        known = ", ".join(found) or "none; declare them in WATTLINE_ALERT_RECEIVERS"
        raise NotFound(f"there is no receiver {name!r}", f"known receivers: {known}", code="no_such_receiver")
    return found[name]


def receiver_lines(stores: AlertStores) -> Sequence[ReceiverLine]:
    """Return every declared receiver with its last answer and the number of alerts that wait for it."""
    states = stores.notifications.receivers()
    lines = []
    for one in declared_receivers(stores.settings):
        state = states.get(one.name)
        since_ms = stores.now_ms() if state is None else state.since_ms
        unsent = stores.notifications.unsent(one.name, int(one.level), one.rules, since_ms, 1000)
        lines.append(ReceiverLine(one, state, len(unsent)))
    return lines
