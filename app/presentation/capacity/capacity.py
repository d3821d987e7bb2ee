"""The sentences of the capacity page."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from app.presentation.text import bound_pct, count, names, pct

Loads = Mapping[str, tuple[float | None, float | None]]
"""Label → observed maximum and limit, in one unit."""


def racks_title(racks: Loads, partial: Collection[str] = ()) -> str:
    """Name the rack closest to its capacity. `partial`: racks of which a part is missing now."""
    return _title(racks, "capacity", "rack", "Racks", partial)


def pdus_title(pdus: Loads, partial: Collection[str] = ()) -> str:
    """Name the PDU with the most loaded line. `partial`: PDUs of which a part is missing now."""
    return _title(pdus, "limit per line", "PDU", "PDUs", partial)


def _title(loads: Loads, what: str, one: str, plain: str, partial: Collection[str]) -> str:
    shares = {label: seen / limit for label, (seen, limit) in loads.items() if seen is not None and limit}
    if not shares:
        return plain
    over = [label for label, share in shares.items() if share > 1]
    if over:
        return f"{names(over, 3)} {'was' if len(over) == 1 else 'were'} over the {what}"
    top = max(shares, key=lambda label: shares[label])
    if partial:
        least = bound_pct(100 * shares[top]) if top in partial else pct(100 * shares[top])
        others = sorted(set(partial) - {top})
        more = f"; {names(others)} may be higher" if others else ""
        return f"{top} reached {'at least ' if top in partial else ''}{least} of its {what}{more}"
    if len(shares) == 1:
        return f"{top} reached {pct(100 * shares[top])} of its {what}"
    return f"{top} came closest to its {what}: {pct(100 * shares[top])}, of {count(len(shares), one)}"
