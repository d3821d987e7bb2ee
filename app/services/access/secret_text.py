"""Random secrets, and the form in which they are stored."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_PREFIX = "wl_"  # noqa: S105
"""Distinguishes an API token from other texts, for scanners of leaked secrets."""
_SHOWN_CHARACTERS = 9
_BYTES = 32


def new_secret() -> str:
    """Return a random text of 256 bits."""
    return secrets.token_urlsafe(_BYTES)


def new_token() -> str:
    """Return a new API token."""
    return TOKEN_PREFIX + new_secret()


def shown_prefix(token: str) -> str:
    """Return the first characters of a token, by which its owner recognizes it."""
    return token[:_SHOWN_CHARACTERS]


def digest(secret: str) -> str:
    """Return the SHA-256 of a random secret: it has too many bits to be guessed, so no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
