"""The titles of the facility page: what is certain, and what cannot be said while a meter is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.domain.energy import KnownPower
from app.presentation.facility.rack_now import RackNow
from app.presentation.text import (
    bound_pct,
    count,
    kw,
    listed,
    missing_names,
    moment,
    names,
    num,
    pct,
)

LOAD_LIMIT_PCT = 80.0
IMBALANCE_LIMIT_PCT = 15.0
INLET_LIMIT_C = 27.0
STALE_POLLS = 3.0
"""Beyond these a tile gets a frame and a sign; `frontend/js/parts/measures.js` uses the same."""


@dataclass(frozen=True, kw_only=True)
class FacilityTitles:
    """What the facility page says about now: of the whole facility, and by measure of its map and its ranking.

    `undecided`: what cannot be said now, by measure; empty where all is known.
    """

    title: str
    titles: Mapping[str, str]
    undecided: Mapping[str, str]
    worst_titles: Mapping[str, str]


def facility_titles(racks: Sequence[RackNow], power: KnownPower, now_ms: int) -> FacilityTitles:
    """Return every title of the facility page; `power`: that of all racks together."""
    return FacilityTitles(
        title=site_title(power, usable_power(racks)),
        titles=hall_titles(racks, now_ms),
        undecided=undecided(racks, now_ms),
        worst_titles=worst_titles(racks, now_ms),
    )


def usable_power(racks: Sequence[RackNow]) -> float | None:
    """Return the usable power of all racks [W]; None unless that of each is known."""
    known = [r.usable_w for r in racks if r.usable_w is not None]
    return sum(known) if known and len(known) == len(racks) else None


def site_title(power: KnownPower, usable_w: float | None) -> str:
    """Say how much of its usable power the facility draws, at least; a plain noun where that is not known."""
    if power.known_w is None or not usable_w:
        return "Power of the facility"
    share = 100.0 * power.known_w / usable_w
    if not power.is_partial:
        return f"The facility draws {pct(share)} of its usable power"
    count_missing = len(power.missing)
    who = missing_names([part.key for part in power.missing], count_missing)
    if count_missing > 1:
        who = f"{count_missing} meters are missing"
    elif who.endswith("not responding"):
        who = f"{power.missing[0].key} is not responding"
    return f"The facility draws at least {bound_pct(share)} of its usable power; {who}"


def hall_titles(racks: Sequence[RackNow], now_ms: int) -> dict[str, str]:
    """Return the titles of the facility map, by measure. None of them says that all is well while a rack is unknown."""
    return {
        "load": _limit_title(
            _over(racks, lambda r: r.load_pct, LOAD_LIMIT_PCT), f"above {pct(LOAD_LIMIT_PCT)}", _load(racks)
        ),
        "headroom": _headroom_title(racks),
        "imbalance": _limit_title(
            _over(racks, lambda r: r.imbalance_pct, IMBALANCE_LIMIT_PCT), "out of balance", _balance(racks)
        ),
        "inlet": _limit_title(_over(racks, lambda r: r.inlet_c, INLET_LIMIT_C), "too warm at the inlet", _inlet(racks)),
        "age": _limit_title(
            _over(racks, lambda r: r.polls_missed(now_ms), STALE_POLLS) + [r for r in racks if r.t_ms is None],
            "without fresh readings",
            _in_part(partial) if (partial := [r for r in racks if r.is_partial]) else "Every rack responds",
        ),
    }


def undecided(racks: Sequence[RackNow], now_ms: int) -> dict[str, str]:
    """Return by measure what cannot be said now, what is certain, and what would decide it; '' where all is known."""
    loads = [r for r in racks if r.is_partial and r.usable_w and (r.load_pct or 0.0) < LOAD_LIMIT_PCT]
    lines = [r for r in racks if r.lines_missing and (r.imbalance_pct or 0.0) < IMBALANCE_LIMIT_PCT]
    probes = [r for r in racks if r.probes_missing and (r.inlet_c or 0.0) < INLET_LIMIT_C]
    return {
        "load": _undecided_load(racks, loads, now_ms),
        "headroom": _undecided_load(racks, loads, now_ms),
        "imbalance": _cannot_be_said("every feed is in balance", lines, "line currents"),
        "inlet": _cannot_be_said(f"every inlet is below {num(INLET_LIMIT_C)}\u2009°C", probes, "inlet temperatures"),
        "age": "",
    }


def worst_titles(racks: Sequence[RackNow], now_ms: int) -> dict[str, str]:
    """Say which rack leads each ranking; a plain noun where no rack has the measure."""
    partial = [r.label for r in racks if r.is_partial and r.usable_w]
    lines = [r.label for r in racks if r.lines_missing]
    probes = [r.label for r in racks if r.probes_missing]
    return {
        "load": _leader(racks, lambda r: r.load_pct, "{} is closest to its limit", "Closest to the limit", partial),
        "headroom": _leader(racks, lambda r: r.load_pct, "{} has the least room", "Least room", partial),
        "imbalance": _leader(racks, lambda r: r.imbalance_pct, "{} is the least balanced", "Least balanced", lines),
        "inlet": _leader(racks, lambda r: r.inlet_c, "{} has the warmest inlet", "Warmest inlet", probes),
        "age": _leader(racks, lambda r: r.polls_missed(now_ms), "{} has the oldest readings", "Oldest readings"),
    }


Measure = Callable[[RackNow], float | None]


def _over(racks: Sequence[RackNow], measure: Measure, limit: float) -> list[RackNow]:
    return [r for r in racks if (value := measure(r)) is not None and value >= limit]


def _limit_title(over: Sequence[RackNow], what: str, calm: str) -> str:
    if not over:
        return calm
    verb = "is" if len(over) == 1 else "are"
    return f"{names([r.label for r in over])} {verb} {what}"


def _load(racks: Sequence[RackNow]) -> str:
    if partial := [r for r in racks if r.is_partial]:
        return _in_part(partial)
    known = [r for r in racks if r.load_pct is not None]
    below = f"below {pct(LOAD_LIMIT_PCT)} of {'its' if len(known) == len(racks) else 'their'} usable power"
    if not known:
        return "Load by rack"
    return f"Every rack is {below}" if len(known) == len(racks) else f"{len(known)} of {len(racks)} racks are {below}"


def _in_part(racks: Sequence[RackNow]) -> str:
    """`R07 is known in part: 5 of its 6 PDUs respond`."""
    first = racks[0]
    if len(racks) > 1:
        return f"{names([r.label for r in racks])} are known in part"
    silent = sum("/" not in key for key in first.missing.keys)
    if first.meters > 1 and silent == first.missing.count < first.meters:
        return f"{first.label} is known in part: {first.meters - silent} of its {first.meters} PDUs respond"
    return f"{first.label} is {'known in part' if first.known_w is not None else 'not known'}"


def _headroom_title(racks: Sequence[RackNow]) -> str:
    known = [(room, r) for r in racks if (room := r.room_w) is not None]
    if not known:
        return "Headroom by rack"
    free, where = sum(room for room, _ in known), count(len(known), "rack")
    if any(r.is_partial for _, r in known):
        return f"At most {kw(free, 0)} are free in {where}"
    return f"{kw(free, 0)} are free in {where}"


def _balance(racks: Sequence[RackNow]) -> str:
    if any(r.lines_missing for r in racks):
        return "Phase imbalance is known in part"
    known = any(r.imbalance_pct is not None for r in racks)
    return "Every measured feed is in balance" if known else "Phase imbalance by rack"


def _inlet(racks: Sequence[RackNow]) -> str:
    warm = [r.inlet_c for r in racks if r.inlet_c is not None]
    if not warm:
        return "Inlet temperature by rack"
    if any(r.probes_missing for r in racks):
        return f"The warmest measured inlet is at {num(max(warm), 1)}\u2009°C"
    return f"Inlets stay below {num(INLET_LIMIT_C)}\u2009°C, the warmest at {num(max(warm), 1)}"


def _undecided_load(racks: Sequence[RackNow], open_: Sequence[RackNow], now_ms: int) -> str:
    if not open_:
        return ""
    loads = {r.label: r.load_pct for r in racks if r not in open_ and r.load_pct is not None}
    sure = [label for label, load in loads.items() if load < LOAD_LIMIT_PCT]
    is_over = len(sure) < len(loads)
    who = listed([r.label for r in open_], 3) if is_over else "every rack"
    verb = "are" if is_over and len(open_) > 1 else "is"
    words = [f"Whether {who} {verb} below {pct(LOAD_LIMIT_PCT)} cannot be said yet."]
    if sure and not is_over:
        words.append(f"{listed(sure, 4)} {'is' if len(sure) == 1 else 'are'}.")
    words += [_bounds(rack, now_ms) for rack in open_[:2]]
    if len(open_) > 2:
        words.append(f"{len(open_) - 2} more are known in part.")
    return " ".join(words)


def _bounds(rack: RackNow, now_ms: int) -> str:
    """`R07 is at least 31 %; it would be 38 % if pdu-r07-e still draws what it drew at 06:18.`"""
    least = "Nothing is known of" if rack.load_pct is None else ""
    start = f"{least} {rack.label}" if least else f"{rack.label} is at least {bound_pct(rack.load_pct or 0.0)}"
    if rack.estimated_pct is None or rack.last_known_t_ms is None:
        return f"{start}."
    when, keys = moment(rack.last_known_t_ms, now_ms), rack.missing.keys
    if rack.missing.count == 1 and "/" not in keys[0]:
        return f"{start}; it would be {pct(rack.estimated_pct)} if {keys[0]} still draws what it drew at {when}."
    return f"{start}; it would be {pct(rack.estimated_pct)} with the last values, the oldest of {when}."


def _cannot_be_said(what: str, open_: Sequence[RackNow], missing: str) -> str:
    if not open_:
        return ""
    return f"Whether {what} cannot be said yet: {missing} of {names([r.label for r in open_])} are missing."


def _leader(racks: Sequence[RackNow], measure: Measure, sentence: str, noun: str, partial: Sequence[str] = ()) -> str:
    known = [(value, r.label) for r in racks if (value := measure(r)) is not None]
    if not known:
        return noun
    first = max(known, key=lambda pair: pair[0])[1]
    others = [label for label in partial if label != first]
    if not others:
        return sentence.format(first)
    return f"{first} leads; {names(others)} may be {'higher' if noun != 'Least balanced' else 'worse'}"
