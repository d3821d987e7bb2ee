"""The sentences of the feeds panel: the load of the lines now, and the effect of a failed feed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.domain.capacity import Failover, LinePeak
from app.presentation.text import clock, names, num, pct
from app.services.capacity import BreakerLimit


@dataclass(frozen=True)
class FeedsState:
    """What the panel shows in one state: measured, or with one feed gone. `sign` is ok, warn or crit."""

    title: str
    basis: str
    verdict: str
    detail: str
    sign: str


def measured(
    loads: Mapping[str, float],
    limits: Mapping[str, BreakerLimit],
    failovers: Sequence[FeedsState],
    basis: str,
    unknown: Sequence[str] = (),
) -> FeedsState:
    """Describe the lines as measured.

    Parameters
    ----------
    loads: the most loaded line of each PDU now [A]. unknown: PDUs with a breaker of which a line current is missing.
    """
    shares = {pdu: loads[pdu] / limits[pdu].limit_a for pdu in loads if pdu in limits and not math.isnan(loads[pdu])}
    over = [pdu for pdu, share in shares.items() if share > 1]
    if over:
        detail = "; ".join(f"{pdu} {num(loads[pdu], 1)} of {num(limits[pdu].limit_a)} A" for pdu in over)
        return FeedsState(f"{names(over)} {_is(over)} over the limit", basis, "Over the limit now.", detail, "crit")
    bad = any(state.sign == "crit" for state in failovers)
    if unknown and not bad:
        return _not_decided(shares, loads, limits, basis, unknown)
    if failovers:
        return _redundant(failovers, basis)
    if not shares:
        return FeedsState("Feeds", basis, "", "", "ok")
    fullest = max(shares, key=lambda pdu: shares[pdu])
    title = f"The most loaded circuit is at {pct(100 * shares[fullest])} of its limit"
    detail = f"{fullest}: {num(loads[fullest], 1)} of {num(limits[fullest].limit_a)} A."
    return FeedsState(title, basis, "Every circuit is within its limit.", detail, "ok")


def _not_decided(
    shares: Mapping[str, float],
    loads: Mapping[str, float],
    limits: Mapping[str, BreakerLimit],
    basis: str,
    unknown: Sequence[str],
) -> FeedsState:
    """Say what is certain while line currents are missing."""
    missing = f"No line currents of {names(unknown)} now."
    verdict = "Whether every circuit is within its limit cannot be said yet."
    if not shares:
        return FeedsState("The load of the circuits is not known", basis, verdict, missing, "warn")
    fullest = max(shares, key=lambda pdu: shares[pdu])
    title = f"{len(unknown)} of {len(limits)} circuits {_is(unknown)} not measured"
    known = f"The most loaded of the others is {fullest}: {num(loads[fullest], 1)} of {num(limits[fullest].limit_a)} A."
    return FeedsState(title, basis, verdict, f"{missing} {known}", "warn")


def _redundant(failovers: Sequence[FeedsState], basis: str) -> FeedsState:
    bad = [state for state in failovers if state.sign != "ok"]
    if bad:
        worst = next((s for s in bad if s.sign == "crit"), bad[0])
        return FeedsState("The feeds are not redundant", basis, worst.verdict, worst.detail, worst.sign)
    if len(failovers) == 2:
        title = "Either feed can carry the rack alone"
    else:
        title = "The rack survives the loss of any one feed"
    return FeedsState(title, basis, title + ".", "The dotted tick shows each line after a failure.", "ok")


def failed(found: Failover, limits: Mapping[str, BreakerLimit], window: str, unknown: Sequence[str] = ()) -> FeedsState:
    """Describe a failed feed: what trips, what exceeds the limit for continuous load, which nodes lose power.

    `unknown`: remaining PDUs of which a line current is missing now; while there are any, nothing is all right.
    """
    basis = f"computed from the cords at the coincident instants of {window}"
    peaks = {(pdu, line): peak for pdu, lines in found.lines.items() for line, peak in lines.items()}
    known = {key: peak for key, peak in peaks.items() if not math.isnan(peak.current_a) and key[0] in limits}
    others = sorted({pdu for pdu, _ in peaks})
    if not known:
        return FeedsState(
            f"If {found.failed} fails", basis, "Not evaluated.", "No line currents in this window.", "warn"
        )
    top = max(known, key=lambda key: known[key].current_a / limits[key[0]].limit_a)
    worst = _line(top, known[top], limits[top[0]])
    trips = [key for key, peak in known.items() if peak.current_a > limits[key[0]].breaker_a]
    over = [key for key, peak in known.items() if peak.current_a > limits[key[0]].limit_a]
    lost = f"{names(found.lost, 4)} would lose power" if found.lost else ""
    if trips:
        who = names(sorted({pdu for pdu, _ in trips}))
        return FeedsState(
            f"If {found.failed} fails, {who} would trip", basis, _join(f"{who} would trip", lost), worst, "crit"
        )
    if lost:
        return FeedsState(f"If {found.failed} fails, {lost}", basis, lost + ".", worst, "crit")
    if over:
        title = f"If {found.failed} fails, {names(others)} {_is(others)} over the continuous limit"
        return FeedsState(
            title, basis, "Nothing trips at once, but a line stays above its continuous limit.", worst, "warn"
        )
    if unknown:
        title = f"If {found.failed} fails: not known, {names(unknown)} {_is(unknown)} not measured"
        verdict = "Whether anything trips cannot be said yet."
        return FeedsState(title, basis, verdict, f"No line currents of {names(unknown)} now. {worst}", "warn")
    title = f"If {found.failed} fails, {names(others)} {'carries' if len(others) == 1 else 'carry'} the rack"
    return FeedsState(title, basis, "Nothing trips and no node loses power.", worst, "ok")


def _line(key: tuple[str, str], peak: LinePeak, limit: BreakerLimit) -> str:
    when = "" if peak.at_ms is None else f" at {clock(peak.at_ms)}"
    share = pct(100 * peak.current_a / limit.limit_a)
    load = f"{num(peak.current_a, 1)} A{when} = {share} of the {num(limit.limit_a)} A limit"
    return f"Highest line: {key[1]} of {key[0]}, {load}."


def _join(first: str, second: str) -> str:
    return f"{first}, {second}." if second else f"{first}."


def _is(items: Sequence[str]) -> str:
    return "is" if len(items) == 1 else "are"
