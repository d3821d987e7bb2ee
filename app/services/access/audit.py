"""Record changes in the audit log, and in the server's log."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.domain.access import Principal
from app.services.access.stores import AccessStores
from app.store.access import AuditEntry

_LOG = logging.getLogger("wattline.audit")


@dataclass(frozen=True)
class Actor:
    """The principal of a change and the address that the request came from."""

    principal: Principal
    address: str = ""


SERVER = Actor(Principal(name="server", label="The server", how="this machine"))
"""Changes by a command on the server itself."""


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
    who = actor.principal.name or "anybody"
    stores.audit.add(
        AuditEntry(stores.now_ms(), who, actor.principal.how, actor.address, action, subject, before, after)
    )
    _LOG.info("%s %r by %r from %s", action, subject, who, actor.address or "this server")
