"""Power now as far as it is known: what is measured, what is missing, and what the missing part drew last.

Powers are not negative, so that a sum of some members is a lower bound of the sum of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from collectors.contract import DAY_MS

LAST_KNOWN_MS = DAY_MS
"""How long the last value of a missing part is shown beside a sum; it never enters one."""


@dataclass(frozen=True, slots=True)
class PowerMember:
    """A member of a sum: its power now, or its last one. `t_ms`: time of the value, or of the last one.

    Attributes
    ----------
    power_w: None where there is no current reading. last_w: None where there never was one.
    derived_ms: the span whose mean `power_w` is, where an energy register gave it; None where it was measured.
    """

    key: str
    power_w: float | None
    last_w: float | None = None
    t_ms: int | None = None
    derived_ms: int | None = None


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A part of a sum without a current reading, with its last value and the time of that."""

    key: str
    last_known_w: float | None = None
    t_ms: int | None = None


@dataclass(frozen=True, slots=True)
class KnownPower:
    """Power now [W], as far as it is known.

    Attributes
    ----------
    known_w: sum of the current readings, a lower bound while something is missing; None where nothing is known.
    t_ms: time of the oldest reading of a member, current or not. known_ms: of the oldest current one.
    missing: what has no current reading, each key once.
    estimate_w: the sum with the last value of each missing part; None unless each has one of the last 24 hours.
    derived_ms: the longest span of a power in it that an energy register gave; None where all were measured.
    """

    known_w: float | None = None
    t_ms: int | None = None
    missing: tuple[MissingPart, ...] = ()
    estimate_w: float | None = None
    known_ms: int | None = None
    derived_ms: int | None = None

    @property
    def is_measured(self) -> bool:
        """Return whether there is anything to measure."""
        return self.known_w is not None or bool(self.missing)

    @property
    def is_partial(self) -> bool:
        """Return whether a part is missing."""
        return bool(self.missing)

    @property
    def power_w(self) -> float | None:
        """Return the power [W]; None unless every part is known."""
        return None if self.missing else self.known_w

    @property
    def last_known_w(self) -> float | None:
        """Return Σ of the last values of the missing parts [W]; None without one of the last 24 hours."""
        known = [part.last_known_w for part in self.missing if part.last_known_w is not None]
        return math.fsum(known) if known else None

    @property
    def last_known_ms(self) -> int | None:
        """Return the time of the oldest of these last values."""
        return min((p.t_ms for p in self.missing if p.last_known_w is not None and p.t_ms is not None), default=None)

    def scaled(self, share: float) -> KnownPower:
        """Return a share of it, 0…1."""
        missing = tuple(replace(p, last_known_w=_times(p.last_known_w, share)) for p in self.missing)
        known_w, estimate_w = _times(self.known_w, share), _times(self.estimate_w, share)
        return replace(self, known_w=known_w, missing=missing, estimate_w=estimate_w)


def known_power(members: Sequence[PowerMember], now_ms: int) -> KnownPower:
    """Return the sum of members, of which some may be missing.

    Parameters
    ----------
    members: several missing ones may have one key: that of the device which does not respond.
    """
    known = [member.power_w for member in members if member.power_w is not None]
    derived_ms = _longest(member.derived_ms for member in members)
    if known and len(known) == len(members):
        total_w, t_ms = math.fsum(known), _oldest([member.t_ms for member in members])
        return KnownPower(total_w, t_ms, (), total_w, t_ms, derived_ms)
    lost = [_missing(member, now_ms) for member in members if member.power_w is None]
    lasts = [part.last_known_w for part in lost if part.last_known_w is not None]
    return KnownPower(
        math.fsum(known) if known else None,
        _oldest(member.t_ms for member in members),
        _merged(lost),
        math.fsum([*known, *lasts]) if members and len(lasts) == len(lost) else None,
        _oldest(member.t_ms for member in members if member.power_w is not None),
        derived_ms,
    )


def total_power(parts: Iterable[KnownPower]) -> KnownPower:
    """Return the sum of powers known in part; a missing key in several of them counts once, with the sum of its last
    values.
    """
    each = [part for part in parts if part.is_measured]
    known = [part.known_w for part in each if part.known_w is not None]
    estimates = [part.estimate_w for part in each if part.estimate_w is not None]
    return KnownPower(
        math.fsum(known) if known else None,
        _oldest(part.t_ms for part in each),
        _merged([lost for part in each for lost in part.missing]),
        math.fsum(estimates) if each and len(estimates) == len(each) else None,
        _oldest(part.known_ms for part in each),
        _longest(part.derived_ms for part in each),
    )


def _missing(member: PowerMember, now_ms: int) -> MissingPart:
    is_recent = member.t_ms is not None and now_ms - member.t_ms <= LAST_KNOWN_MS
    return MissingPart(member.key, member.last_w if is_recent else None, member.t_ms)


def _merged(parts: Iterable[MissingPart]) -> tuple[MissingPart, ...]:
    found: dict[str, MissingPart] = {}
    for part in parts:
        before = found.get(part.key)
        found[part.key] = part if before is None else _both(before, part)
    return tuple(found[key] for key in sorted(found))


def _both(a: MissingPart, b: MissingPart) -> MissingPart:
    lasts = [w for w in (a.last_known_w, b.last_known_w) if w is not None]
    return MissingPart(a.key, math.fsum(lasts) if lasts else None, _oldest((a.t_ms, b.t_ms)))


def _oldest(times: Iterable[int | None]) -> int | None:
    return min((t_ms for t_ms in times if t_ms is not None), default=None)


def _longest(spans_ms: Iterable[int | None]) -> int | None:
    return max((ms for ms in spans_ms if ms is not None), default=None)


def _times(watts: float | None, share: float) -> float | None:
    return None if watts is None else watts * share
