"""Pseudonyms for users who have not been here for long: the name is replaced for good, everywhere."""

from __future__ import annotations

import re
import secrets

from app.services.access.audit import SERVER, record
from app.services.access.stores import AccessStores
from collectors.contract import DAY_MS

_PSEUDONYM = re.compile(r"former-user-[0-9a-f]{12}")


def pseudonymize(stores: AccessStores, days: int | None) -> int:
    """Replace the names of users without a sign-in, a token used or a job for `days`; return how many. None: never.

    A pseudonym is random: no list connects it with a name, so it cannot be undone. A user keeps one pseudonym in every
    store; administrators who can sign in keep their names.
    """
    if days is None:
        return 0
    before_ms = stores.now_ms() - days * DAY_MS
    admins = {user.name for user in stores.users.all() if "admin" in user.roles and not user.disabled}
    last = stores.pseudonyms.last_activity()
    former = [name for name, t_ms in last.items() if t_ms is not None and t_ms < before_ms]
    done = [name for name in former if name not in admins and not _PSEUDONYM.fullmatch(name)]
    for name in done:
        pseudonym = f"former-user-{secrets.token_hex(6)}"
        stores.pseudonyms.replace(name, pseudonym)
        record(stores, SERVER, "user.pseudonymize", pseudonym, None, {"days": days})
    return len(done)
