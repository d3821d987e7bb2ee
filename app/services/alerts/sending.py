"""Send one message to a receiver: by HTTP to a webhook, or by SMTP."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import aiosmtplib
import httpx

from app.services.alerts.receivers import Form, Receiver
from app.store.alerts import StoredAlert
from collectors.contract import CheckedResolution, host_refusal, resolved_refusal

PATIENCE_S = 10.0
_LONGEST_ANSWER = 300


@dataclass(frozen=True)
class MailText:
    """Subject and text of an e-mail."""

    subject: str
    text: str


Render = Callable[[Sequence[StoredAlert], str], Mapping[str, Any] | MailText]
"""Turns alerts into one message; the second argument is the address of the dashboard."""
Renderers = Mapping[Form, Render]


@dataclass(frozen=True)
class ReceiverAnswer:
    """Whether a receiver took a message, and what it answered."""

    is_accepted: bool
    text: str


def send_message(
    receiver: Receiver, message: Mapping[str, Any] | MailText, networks: Sequence[str] = ()
) -> ReceiverAnswer:
    """Send a message and return the answer of the receiver. It never contains the address, which may hold a secret.

    `networks`: the hosts that receivers may have; without any, all but link-local ones. No redirect is followed.
    """
    refusal = host_refusal(receiver.host, networks, "WATTLINE_ALERT_NETWORKS")
    if refusal:
        return _not_sent(refusal)
    with asyncio.Runner(loop_factory=_Loop) as runner:
        loop = cast("_Loop", runner.get_loop())
        loop.networks = networks
        if isinstance(message, MailText):
            answer = runner.run(_mail(receiver, message))
        else:
            answer = runner.run(_post(receiver.address, message))
    return _not_sent(loop.refusal) if loop.refusal else answer


class _Loop(CheckedResolution, asyncio.SelectorEventLoop):
    """Connects to no link-local address, whatever a name resolves to; `refusal` says why."""

    networks: Sequence[str] = ()
    refusal = ""

    def address_check(self, name: str, found: Sequence[Sequence[object]]) -> str:
        self.refusal = resolved_refusal(name, found, self.networks)
        return self.refusal


def _not_sent(refusal: str) -> ReceiverAnswer:
    return ReceiverAnswer(False, f"was not sent anything: {refusal}")


async def _post(url: str, message: Mapping[str, Any]) -> ReceiverAnswer:
    try:
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            response = await client.post(url, json=message)
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError) as error:
        return ReceiverAnswer(False, f"did not respond ({type(error).__name__})")
    text = f"answered {response.status_code} {_plain(response.text)}".strip()
    return ReceiverAnswer(response.is_success, text)


async def _mail(receiver: Receiver, mail: MailText) -> ReceiverAnswer:
    server = urlsplit(receiver.address)
    is_tls = server.scheme == "smtps"
    password = None if server.password is None else unquote(server.password)
    try:
        refused, text = await aiosmtplib.send(
            _message(receiver, mail),
            hostname=server.hostname,
            port=server.port or (465 if is_tls else 587 if password else 25),
            username=unquote(server.username) if server.username else None,
            password=password,
            use_tls=is_tls,
            start_tls=True if password and not is_tls else False if is_tls else None,  # never a password in the clear
            timeout=PATIENCE_S,
        )
    except aiosmtplib.SMTPRecipientsRefused as error:
        each = [f"{one.recipient}: {one.code} {one.message}" for one in error.recipients]
        return ReceiverAnswer(False, f"refused {_plain('; '.join(each))}")
    except aiosmtplib.SMTPResponseException as error:
        return ReceiverAnswer(False, f"answered {error.code} {_plain(error.message)}")
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        return ReceiverAnswer(False, f"did not respond ({type(error).__name__}: {_plain(str(error))})")
    some = "".join(f"; refused {to}: {one.code} {one.message}" for to, one in refused.items())
    return ReceiverAnswer(True, f"answered 250 {_plain(text + some)}")


def _message(receiver: Receiver, mail: MailText) -> EmailMessage:
    message = EmailMessage()
    message["Subject"] = _plain(mail.subject)
    message["From"] = receiver.sender
    message["To"] = ", ".join(receiver.to)
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=receiver.sender.rpartition("@")[2] or "wattline")
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office answers
    message.set_content(mail.text)
    return message


def _plain(text: str) -> str:
    """Return a text as one short line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_ANSWER]
