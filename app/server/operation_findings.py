"""What the database says about a running installation: silent devices, collectors and their clocks, tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.domain.devices import allowed_offset_ms
from app.services.devices import device_states
from app.services.stores import Stores
from app.services.timeseries import read_latest
from app.settings import Settings
from app.store.devices import Collector
from collectors.contract import DAY_MS

_MOST_NAMED = 5
_EXPIRES_SOON_MS = 7 * DAY_MS
_VARIABLES = ("read_token", "ingest_token", "admin_token")


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """Result of one check: whether it passed, and a sentence."""

    ok: bool
    text: str


def operation_findings(stores: Stores) -> Iterator[DoctorFinding]:
    """Yield findings about devices, collectors and tokens."""
    facility = stores.facility.now()
    states = device_states(stores, facility, read_latest(stores))
    if states.count:
        yield from _collectors(stores.leases.collectors(), stores.now_ms())
    silent = [f"{one.key} ({_since(one.since_ms)}{f', {one.reason}' if one.reason else ''})" for one in states.silent]
    if silent:
        yield DoctorFinding(False, f"{len(silent)} of {states.count} devices do not respond: {_listed(silent)}")
    elif states.never:
        yield DoctorFinding(False, f"{states.never} of {states.count} devices have never been polled")
    else:
        yield DoctorFinding(True, f"{states.answering} of {states.count} devices respond")
    yield _tokens(stores.settings, stores)


def _collectors(found: Sequence[Collector], now_ms: int) -> Iterator[DoctorFinding]:
    live = [one for one in found if one.state.is_live(now_ms)]
    if not live:
        yield DoctorFinding(False, "no collector polls the devices: run wattline up, or wattline collect")
        return
    measured = {
        one.name: (one.offset_ms, allowed_offset_ms(one.round_trip_ms)) for one in live if one.offset_ms is not None
    }
    apart = [f"{name} {ms / 1000:+.1f} s" for name, (ms, most_ms) in measured.items() if abs(ms) > most_ms]
    if apart:
        fix = "set them by NTP"
        yield DoctorFinding(False, f"clocks of collectors differ from the server's: {_listed(apart)}: {fix}")
    elif measured:
        largest_s = max(abs(ms) for ms, _ in measured.values()) / 1000
        yield DoctorFinding(True, f"collectors running: {len(live)}, largest clock offset {largest_s:.2f} s")
    else:
        yield DoctorFinding(True, f"collectors running: {len(live)}, clock offsets not measured yet")


def _tokens(settings: Settings, stores: Stores) -> DoctorFinding:
    now_ms = stores.now_ms()
    given = [f"WATTLINE_{name.upper()}" for name in _VARIABLES if getattr(settings, name) is not None]
    valid = [token for token in stores.tokens.all() if token.is_valid(now_ms)]
    soon = [
        f"{token.name} ({token.prefix}…, {_day(token.until_ms)})"
        for token in valid
        if token.until_ms is not None and token.until_ms < now_ms + _EXPIRES_SOON_MS
    ]
    if soon:
        return DoctorFinding(False, f"API tokens that expire within a week: {_listed(soon)}: create new ones")
    return DoctorFinding(True, f"tokens: {', '.join(given) or 'no variable set'}; valid API tokens: {len(valid)}")


def _listed(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _MOST_NAMED} more" if len(texts) > _MOST_NAMED else ""
    return ", ".join(texts[:_MOST_NAMED]) + more


def _since(t_ms: int | None) -> str:
    return "no reading so far" if t_ms is None else f"since {datetime.fromtimestamp(t_ms / 1000, UTC):%Y-%m-%d %H:%MZ}"


def _day(t_ms: int) -> str:
    return f"{datetime.fromtimestamp(t_ms / 1000, UTC):%Y-%m-%d}"
