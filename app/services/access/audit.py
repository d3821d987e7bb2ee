"""Record changes in the audit log, and in the server's log."""

from __future__ import annotations

import logging
import os
import pwd
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.access import Principal
from app.domain.timeseries import rfc3339
from app.services.access.stores import AccessStores
from app.store.access import AuditEntry
from collectors.contract import DAY_MS

_LOG = logging.getLogger("wattline.audit")


@dataclass(frozen=True)
class Actor:
    """The principal of a change and the address that the request came from."""

    principal: Principal
    address: str = ""

    @property
    def who(self) -> str:
        """Return the name for the audit log: of commands and of this machine it is the Unix user of this process."""
        return unix_user() if self.principal.how == "this machine" else self.principal.name or "anybody"

    def signature(self, given: str) -> str:
        """Return the name under which others see a change: a user's own; who has no account gives one."""
        return self.principal.name if self.principal.is_user else given


def unix_user() -> str:
    """Return the name of the Unix user that this process belongs to; the environment does not matter."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


SERVER = Actor(Principal(name="server", label="The server", how="this machine"))
"""A command on the server itself, on its database."""


def expire(stores: AccessStores, days: int | None) -> int:
    """Delete entries older than `days`, by whole days (UTC), record that, and return how many. None: never."""
    if days is None:
        return 0
    before_ms = (stores.now_ms() // DAY_MS - days) * DAY_MS
    count = stores.audit.delete_before(before_ms)
    if count:
        record(stores, SERVER, "audit.expire", str(rfc3339(before_ms)), None, {"days": days, "entries": count})
    return count


def record(
    stores: AccessStores,
    actor: Actor,
    action: str,
    subject: str,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> None:
    """Add an entry to the audit log. Without a change there is none."""
    if before is not None and before == after:
        return
    stores.audit.add(
        AuditEntry(stores.now_ms(), actor.who, actor.principal.how, actor.address, action, subject, before, after)
    )
    _LOG.info("%s %r by %r from %s", action, subject, actor.who, actor.address or "this server")
