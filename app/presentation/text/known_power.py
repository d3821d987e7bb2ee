"""Power that is known in part, in words: what is known, what is missing, and its last value with the time.

`frontend/js/core/known_power.js` follows the same rules.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from app.domain.energy import KnownPower
from app.models import TimeMs, sent_as
from app.presentation.text.numbers import THIN, kw, moment, names, num, pct

_KINDS = ("wall", "rest", "unread")
MOST_KEYS = 50
"""Missing keys in a view; their count is always that of all."""


@dataclass(frozen=True)
class MissingKeys:
    """How many parts are missing, and the first of them: devices, or `device/point` of a device that responds.

    `DEVICE/unread`: the database cannot read the readings of the device now.
    """

    count: int
    keys: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class KnownPowerView:
    """A power now [W]: `power_w` only where it is complete, `known_w` also where a part of it is missing.

    `derived_s`: the longest span [s] of a mean power in it that comes from an energy register.
    """

    power_w: float | None
    t_ms: Annotated[TimeMs | None, sent_as("t")]
    known_w: float | None
    missing: MissingKeys
    last_known_w: float | None
    last_known_t_ms: Annotated[TimeMs | None, sent_as("last_known_t")]
    estimate_w: float | None
    derived_s: float | None


def known_power_fields(power: KnownPower) -> dict[str, Any]:
    """Return the fields of a `KnownPowerView`."""
    keys = [part.key for part in power.missing]
    return {
        "power_w": power.power_w,
        "t_ms": power.t_ms,
        "known_w": power.known_w,
        "missing": MissingKeys(len(keys), keys[:MOST_KEYS]),
        "last_known_w": power.last_known_w,
        "last_known_t_ms": power.last_known_ms,
        "estimate_w": power.estimate_w,
        "derived_s": None if power.derived_ms is None else power.derived_ms / 1000.0,
    }


def power_words(power: KnownPower, now_ms: int) -> str:
    """`32.7 kW`; `at least 28.1 kW · pdu-r07-e not responding (4.6 kW at 06:18)` where a part is missing."""
    if power.known_w is None:
        return " · ".join(part for part in ("no readings", missing_words(power, now_ms)) if part)
    if not power.is_partial:
        return kw(power.known_w, _digits(power.known_w))
    return f"at least {bound_kw(power.known_w)} · {missing_words(power, now_ms)}"


def missing_words(power: KnownPower, now_ms: int) -> str:
    """`pdu-r07-e not responding (4.6 kW at 06:18)`; '' where nothing is missing."""
    words = missing_names([part.key for part in power.missing], len(power.missing))
    if not words or power.last_known_w is None or power.last_known_ms is None:
        return words
    last = kw(power.last_known_w, _digits(power.last_known_w))
    return f"{words} ({last} at {moment(power.last_known_ms, now_ms)})"


def missing_names(keys: Sequence[str], count: int) -> str:
    """`pdu-a not responding`, `no reading from pdu-a outlet 3`, `n1 not metered`, `only components of n1 measured`,
    `pdu-a cannot be read`.

    Parameters
    ----------
    keys: the first missing keys. count: how many there are.
    """
    if not keys:
        return ""
    kinds = {_kind(key) for key in keys}
    listed = _listed([_named(key) for key in keys], count)
    match next(iter(kinds)) if len(kinds) == 1 else "":
        case "device":
            return f"{listed} not responding"
        case "wall":
            return f"{listed} not metered"
        case "rest":
            return f"only components of {listed} measured"
        case "unread":
            return f"{listed} cannot be read"
        case "point":
            return f"no reading from {listed}"
        case _:
            return f"{listed} missing"


def bound_kw(watts: float) -> str:
    """Return a lower bound, rounded down: `28.1 kW`."""
    return f"{floored(watts / 1000, _digits(watts))}{THIN}kW"


def bound_pct(share: float) -> str:
    """Return a lower bound, rounded down: `28 %` for 28.4."""
    return pct(math.floor(share + 1e-9))


def floored(x: float, digits: int) -> str:
    """Return a number rounded down."""
    return num(math.floor(x * 10**digits + 1e-6) / 10**digits, digits)


def _digits(watts: float) -> int:
    return 2 if abs(watts) < 1000 else 1


def _kind(key: str) -> str:
    _, slash, point = key.partition("/")
    return "device" if not slash else point if point in _KINDS else "point"


def _named(key: str) -> str:
    device, _, point = key.partition("/")
    return device if point in ("", *_KINDS) else f"{device} {point.replace('/', ' ')}"


def _listed(labels: Sequence[str], count: int) -> str:
    if count > 2:
        return f"{', '.join(labels[:2])} and {count - len(labels[:2])} more"
    return names(labels)
