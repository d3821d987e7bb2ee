"""Passwords of local accounts: Argon2id by argon2-cffi, with the parameters of RFC 9106 for servers with little memory.

One verification takes 64 MiB and tens of milliseconds. Callers run at most two at a time, in threads.
"""

from __future__ import annotations

from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import Invalid

AT_ONCE = 2
SHORTEST = 12
LONGEST = 256


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _of_nobody() -> str:
    return _hasher().hash("a user that does not exist takes as long as one that does")


def hash_password(password: str) -> str:
    """Return the hash of a new password.

    Raises
    ------
    Invalid
        It is too short or too long.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise Invalid(
            f"the password has {len(password)} characters",
            f"choose one of {SHORTEST} to {LONGEST} characters, such as several words",
            code="bad_password",
        )
    return _hasher().hash(password)


def is_password(stored: str | None, given: str) -> bool:
    """Return whether a password is the one whose hash is stored; without one it takes as long and is False."""
    try:
        return _hasher().verify(stored or _of_nobody(), given[: LONGEST + 1]) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


def is_outdated(stored: str) -> bool:
    """Return whether the hash was made with other parameters."""
    return _hasher().check_needs_rehash(stored)
