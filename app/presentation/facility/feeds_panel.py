"""The feeds panel of the rack page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.presentation.facility import feeds as text
from app.presentation.facility.feeds import FeedsState
from app.presentation.text import kw, num, pct
from app.services.capacity import LineState, PduState, RackFeeds
from app.store.facility import Device


@dataclass(frozen=True)
class PduView:
    """One PDU of the rack; `failover_text`: what it would carry if a feed failed."""

    key: str
    feed: str | None
    t_ms: int | None
    silent: bool
    breaker_a: float | None
    limit_a: float | None
    lines: Sequence[LineState]
    power_w: float | None
    apparent_va: float | None
    power_factor: float | None
    imbalance_pct: float | None
    failover_text: Mapping[str, str]


@dataclass(frozen=True)
class FeedsView:
    """The feeds panel. `failover` is empty where a single feed supplies the rack."""

    pdus: Sequence[PduView] = ()
    measured: FeedsState | None = None
    failover: Mapping[str, FeedsState] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    window: str = ""
    empty: Mapping[str, str] | None = None


def feeds_view(found: RackFeeds, window: str) -> FeedsView:
    """Return the feeds panel of a rack."""
    if not found.devices:
        return FeedsView(empty={"what": "No PDU in this rack", "why": "Devices whose rack is this one are shown here."})
    states = {feed: text.failed(failover, found.limits, window) for feed, failover in found.failovers.items()}
    loads = {p.key: max((x.now_a for x in p.lines if x.now_a is not None), default=math.nan) for p in found.pdus}
    return FeedsView(
        pdus=[_pdu(pdu) for pdu in found.pdus],
        measured=text.measured(loads, found.limits, list(states.values()), _basis(found.devices)),
        failover=states,
        notes=_notes(found.devices, bool(states)),
        window=window,
    )


def _pdu(pdu: PduState) -> PduView:
    carried = {feed: "" if watts is None else f"carries up to {kw(watts)}" for feed, watts in pdu.carried_w.items()}
    return PduView(
        key=pdu.key,
        feed=pdu.feed,
        t_ms=pdu.t_ms,
        silent=pdu.silent,
        breaker_a=pdu.breaker_a,
        limit_a=pdu.limit_a,
        lines=pdu.lines,
        power_w=pdu.power_w,
        apparent_va=pdu.apparent_va,
        power_factor=pdu.power_factor,
        imbalance_pct=pdu.imbalance_pct,
        failover_text=carried,
    )


def _basis(devices: Sequence[Device]) -> str:
    """Describe the circuits: `measured, 208 V three-phase, 50 A breakers`."""
    kinds = {(b.volts, b.phases, b.amps) for d in devices if (b := d.breaker)}
    if len(kinds) != 1:
        return "measured"
    volts, phases, amps = next(iter(kinds))
    phase = "three-phase" if phases == 3 else "single-phase"
    return (
        f"measured, {num(volts)} V {phase}, {num(amps)} A breakers"
        if volts
        else f"measured, {phase}, {num(amps)} A breakers"
    )


def _notes(devices: Sequence[Device], redundant: bool) -> dict[str, str]:
    """Explain the marks and what a single feed means."""
    factors = {(d.breaker.amps, d.breaker.derating) for d in devices if d.breaker}
    limit = ""
    if len(factors) == 1:
        amps, derating = next(iter(factors))
        share = (
            f"{pct(100 * derating)} of the {num(amps)} A breaker, applied once"
            if derating < 1
            else "the breaker's rating"
        )
        limit = f"Dashed: {num(amps * derating)} A, {share}. "
    elif factors:
        limit = "Dashed: breaker × derating. "
    alone = "" if redundant else "One feed supplies this rack: when it fails, its nodes lose power."
    spread = "The load moved to a PDU spreads over its lines as its present load does."
    return {
        "measured": limit + ("Dotted: highest load if a feed fails." if redundant else alone),
        "computed": f"{limit}Dotted: load now. Hatched: computed, not measured. {spread}",
    }
