"""The time from which a change is effective."""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.timeseries import moment_ms, rfc3339
from app.errors import Invalid
from app.services.facility.stores import FacilityStores
from app.store.rollups import retention_borders


def effective_ms(text: str) -> int | None:
    """Return the time from which a change is effective from RFC 3339; None (now) for an empty text.

    Raises
    ------
    Invalid
    """
    if not text:
        return None
    try:
        return moment_ms(text)
    except ValueError:
        wanted = "write it like 2026-03-01T08:00:00Z"
        raise Invalid(f"{text!r} is not a time with a time zone", wanted, code="bad_moment") from None


def retention_warnings(stores: FacilityStores, times_ms: Iterable[int | None]) -> list[str]:
    """Return a warning if a change is effective [ms; None: now] from a time whose readings are deleted."""
    since_ms = min((t for t in times_ms if t is not None), default=None)
    if since_ms is None or since_ms >= (border_ms := max(retention_borders(stores.engine).values(), default=0)):
        return []
    return [
        f"the change is effective from {rfc3339(since_ms)}, but readings before {rfc3339(border_ms)} are deleted: "
        "energies, accounts and figures from before that time do not change"
    ]
