"""Numbers and texts as agents send them. Pure."""

from __future__ import annotations

import re

from collectors.contract import COUNTERS
from collectors.profiles import ProfileColumn

Raw = int | float | str | bytes | None
LARGEST_SIGNED = 2**31 - 1


def number_of(raw: Raw, column: ProfileColumn) -> int | float | None:
    """Return the number of an object; None without one.

    Some agents write whole numbers as texts. A number with decimals is read only where the profile expects a text:
    elsewhere it may be scaled already. A reading of an unsigned object above 2³¹ − 1 is a negative number, mostly a
    sentinel (4294967295 of −1).
    """
    if isinstance(raw, bytes | str):
        return leading(raw) if column.syntax == "text" else _whole(raw)
    if isinstance(raw, int) and raw > LARGEST_SIGNED and column.quantity not in COUNTERS:
        return None
    return raw


def leading(raw: Raw) -> float | None:
    """Return the number a text begins with: 32 for `32A`, −1.9 for `-1.9 A`; None without one."""
    found = re.match(r"[-+]?\d+(\.\d+)?", text(raw))
    return float(found[0]) if found else None


def _whole(raw: Raw) -> int | None:
    found = re.fullmatch(r"[-+]?\d{1,18}", text(raw), re.ASCII)
    return int(found[0]) if found else None


def text(raw: Raw) -> str:
    """Return a device's text: UTF-8 with replacements, without padding."""
    shown = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str("" if raw is None else raw)
    return shown.replace("\0", "").strip()


def power_of_ten(factor: int) -> int | None:
    """Return the exponent of a factor (−100, which divides: −2; 10: 1; 0 and 1: 0); None if it is no power of ten."""
    if factor == 0:
        return 0
    digits = str(abs(factor))
    if digits.rstrip("0") != "1":
        return None
    return len(digits) - 1 if factor > 0 else 1 - len(digits)
