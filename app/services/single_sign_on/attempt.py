"""What a browser keeps between leaving for the identity provider and coming back."""

from __future__ import annotations

import base64
import json
import secrets
from dataclasses import asdict, dataclass

_BYTES = 32
MINUTES = 10
"""How long signing in at the provider may take."""


@dataclass(frozen=True)
class Attempt:
    """One attempt to sign in: only this browser can finish it.

    Attributes
    ----------
    state: comes back with the code. nonce: comes back in the ID token. verifier: secret of PKCE.
    page: path where the user wanted to go.
    """

    state: str
    nonce: str
    verifier: str
    page: str

    def cookie(self) -> str:
        """Return it as the value of a cookie."""
        return base64.urlsafe_b64encode(json.dumps(asdict(self)).encode()).decode()


def new_attempt(page: str) -> Attempt:
    """Return an attempt with random secrets. A page of another site is replaced by the first page."""
    state, nonce, verifier = (secrets.token_urlsafe(_BYTES) for _ in range(3))
    is_own = page.startswith("/") and not page.startswith("//") and "\\" not in page and page.isprintable()
    return Attempt(state, nonce, verifier, page if is_own and len(page) <= 2000 else "/")


def read_attempt(cookie: str | None) -> Attempt | None:
    """Return the attempt of a cookie; None without a readable one."""
    try:
        found = json.loads(base64.urlsafe_b64decode(cookie or ""))
        attempt = Attempt(*(str(found[name]) for name in ("state", "nonce", "verifier", "page")))
    except (ValueError, KeyError, TypeError):
        return None
    return attempt if attempt.page == new_attempt(attempt.page).page else None
