"""What of a page the database cannot read now, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.presentation.text.known_power import MOST_KEYS
from app.presentation.text.numbers import count, names
from app.store.database import Unread

MOST_NAMES = 2
WHY = "cannot be read: the database server that holds them does not respond."


@dataclass(frozen=True)
class UnreadView:
    """What a page leaves out because a machine of the database does not respond; it is stored and shown again later.

    `devices`: the first of those whose readings cannot be read. `racks`: the first of those whose minutes cannot.
    """

    text: str
    devices: Sequence[str]
    racks: Sequence[str]


def unread_view(unread: Unread | None, devices: Collection[str]) -> UnreadView | None:
    """Return what of a page with these devices is left out; None where nothing is."""
    if not unread:
        return None
    lost = sorted(unread.devices.intersection(devices))
    racks = sorted(
        {subject.partition("/")[2].rpartition(":")[0] for subject in unread.subjects if subject.startswith("rack")}
    )
    parts = [f"Readings of {_listed(lost, len(devices))}"] if lost else []
    if racks:
        parts.append(f"{'minutes' if lost else 'Minutes'} of {names(racks)}")
    text = f"{' and '.join(parts)} {WHY}" if parts else ""
    return UnreadView(text, lost[:MOST_KEYS], racks[:MOST_KEYS]) if text else None


def _listed(lost: Sequence[str], total: int) -> str:
    """`pdu-a and pdu-b`, or `9 of 16 devices`."""
    return names(lost) if len(lost) <= MOST_NAMES else f"{len(lost)} of {count(total, 'device')}"
