"""Alerts as an e-mail."""

from __future__ import annotations

from collections.abc import Sequence

from app.presentation.alerts.message_lines import headline, message_lines
from app.services.alerts import MailText
from app.store.alerts import StoredAlert


def mail_message(waiting: Sequence[StoredAlert], server: str) -> MailText:
    """Return subject and text of an e-mail about alerts."""
    blocks = [
        "\n".join(text for text in (f"{line.state.upper()}: {line.title}", line.description, line.link) if text)
        for line in message_lines(waiting, server)
    ]
    return MailText(headline(waiting), "\n\n".join([*blocks, f"All alerts: {server}/alerts"]) + "\n")
