"""Alerts as a message to a chat: Slack, Mattermost and Microsoft Teams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.presentation.alerts.message_lines import MessageLine, headline, message_lines
from app.store.alerts import StoredAlert

_SIGNS = {"critical": "🔴", "warning": "🟠", "over": "🟢"}
Escape = Callable[[str], str]


def slack_message(waiting: Sequence[StoredAlert], server: str) -> dict[str, Any]:
    """Return the body of a Slack webhook; names cannot mention users or channels."""
    lines = [_slack_line(line) for line in message_lines(waiting, server)]
    return {"text": "\n".join([f"*{_slack(headline(waiting))}*", *lines])}


def mattermost_message(waiting: Sequence[StoredAlert], server: str) -> dict[str, Any]:
    """Return the body of a Mattermost webhook; names cannot mention users or channels."""
    lines = [_markdown_line(line) for line in message_lines(waiting, server)]
    return {"username": "Wattline", "text": "\n".join([f"**{_markdown(headline(waiting))}**", "", *lines])}


def teams_message(waiting: Sequence[StoredAlert], server: str) -> dict[str, Any]:
    """Return the body of a Teams workflow webhook: an adaptive card."""
    texts = [_markdown_line(line) for line in message_lines(waiting, server)]
    head: dict[str, Any] = {"type": "TextBlock", "text": _markdown(headline(waiting)), "weight": "Bolder", "wrap": True}
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": [head, *({"type": "TextBlock", "text": text, "wrap": True} for text in texts)],
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _slack_line(line: MessageLine) -> str:
    link = f"<{line.link}|{_slack(line.title)}>" if line.link else _slack(line.title)
    return f"{_SIGNS[line.state]} {line.state}: {link}{_more(line, _slack)}"


def _markdown_line(line: MessageLine) -> str:
    link = f"[{_markdown(line.title)}]({line.link})" if line.link else _markdown(line.title)
    return f"{_SIGNS[line.state]} {line.state}: {link}{_more(line, _markdown)}  "


def _more(line: MessageLine, escape: Escape) -> str:
    return f" — {escape(line.description)}" if line.description else ""


def _slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _markdown(text: str) -> str:
    """Escape what Markdown would format; `@` gets a zero-width space, so that it mentions no one."""
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]()#+!|<>~" else c for c in text)
    return escaped.replace("@", "@\u200b")
