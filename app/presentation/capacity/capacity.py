"""The sentences of the capacity page."""

from __future__ import annotations

from collections.abc import Mapping

from app.presentation.text import count, names, pct

Loads = Mapping[str, tuple[float | None, float | None]]
"""Label → observed maximum and limit, in one unit."""


def racks_title(racks: Loads) -> str:
    """Name the rack closest to its capacity."""
    return _title(racks, "capacity", "rack", "Racks")


def pdus_title(pdus: Loads) -> str:
    """Name the PDU with the most loaded line."""
    return _title(pdus, "limit per line", "PDU", "PDUs")


def _title(loads: Loads, what: str, one: str, plain: str) -> str:
    shares = {label: seen / limit for label, (seen, limit) in loads.items() if seen is not None and limit}
    if not shares:
        return plain
    over = [label for label, share in shares.items() if share > 1]
    if over:
        return f"{names(over, 3)} {'was' if len(over) == 1 else 'were'} over the {what}"
    top = max(shares, key=lambda label: shares[label])
    if len(shares) == 1:
        return f"{top} reached {pct(100 * shares[top])} of its {what}"
    return f"{top} came closest to its {what}: {pct(100 * shares[top])}, of {count(len(shares), one)}"
