"""Limits on what one device may send, so that no device takes the memory or the time of the others."""

from __future__ import annotations

MOST_BYTES = 16 * 2**20
"""Bytes of one answer after decompression. A node exporter of 256 cores answers with about 2 MiB."""
MOST_SERIES = 5_000
"""Series of one device. The largest PDUs have about 500."""
LONGEST_TEXT = 200
"""Characters of a name or label that a device reports."""
LONGEST_DETAIL = 1_000
"""Characters of a finding or error about a device, which may quote it."""


def clipped(text: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text of a device on one line, without control characters and not longer than `longest`."""
    short = text[: longest + 1]
    shown = short if short.isprintable() else "".join(c if c.isprintable() else " " for c in short)
    return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
