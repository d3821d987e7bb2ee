"""Identifiers that sort by creation time (ULID: 48 bits of milliseconds, 80 random bits)."""

import secrets

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32


def ulid(t_ms: int) -> str:
    """Return a unique identifier of 26 characters."""
    number = (t_ms << 80) | secrets.randbits(80)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
