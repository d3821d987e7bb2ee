"""The feeds panel of the rack page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.energy import KnownPower
from app.presentation.charts import Empty
from app.presentation.facility import feeds as text
from app.presentation.facility.feeds import FeedsState
from app.presentation.text import KnownPowerView, known_power_fields, kw, num, pct
from app.services.capacity import LineState, PduState, RackFeeds
from app.services.live import SumNow
from app.store.facility import Device


@dataclass(frozen=True, kw_only=True)
class PduView(KnownPowerView):
    """One PDU of the rack; `failover_text`: what it would carry if a feed failed."""

    key: str
    feed: str | None
    silent: bool
    breaker_a: float | None
    limit_a: float | None
    lines: Sequence[LineState]
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
    empty: Empty | None = None


def feeds_view(found: RackFeeds, window: str, now: Mapping[str, SumNow]) -> FeedsView:
    """Return the feeds panel of a rack; `now`: the power of each PDU."""
    if not found.devices:
        return FeedsView(empty={"what": "No PDU in this rack", "why": "Devices whose rack is this one are shown here."})
    unknown = [pdu.key for pdu in found.pdus if pdu.limit_a and not _has_lines(pdu)]
    states = {
        feed: text.failed(failover, found.limits, window, _remaining(found, feed, unknown))
        for feed, failover in found.failovers.items()
    }
    loads = {p.key: max((x.now_a for x in p.lines if x.now_a is not None), default=math.nan) for p in found.pdus}
    return FeedsView(
        pdus=[_pdu(pdu, now[pdu.key].power) for pdu in found.pdus],
        measured=text.measured(loads, found.limits, list(states.values()), _basis(found.devices), unknown),
        failover=states,
        notes=_notes(found.devices, bool(states)),
        window=window,
    )


def _has_lines(pdu: PduState) -> bool:
    return bool(pdu.lines) and all(line.now_a is not None for line in pdu.lines)


def _remaining(found: RackFeeds, failed: str, pdus: Sequence[str]) -> list[str]:
    feeds = {pdu.key: pdu.feed for pdu in found.pdus}
    return [key for key in pdus if feeds[key] != failed]


def _pdu(pdu: PduState, power: KnownPower) -> PduView:
    carried = {feed: "" if watts is None else f"carries up to {kw(watts)}" for feed, watts in pdu.carried_w.items()}
    return PduView(
        **known_power_fields(power) | {"t_ms": pdu.t_ms},
        key=pdu.key,
        feed=pdu.feed,
        silent=pdu.silent,
        breaker_a=pdu.breaker_a,
        limit_a=pdu.limit_a,
        lines=pdu.lines,
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
