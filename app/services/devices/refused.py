"""Readings of a device that were refused because they cannot be true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from app.models import TimeMs, sent_as
from app.services.devices.stores import DeviceStores
from app.store.devices import RefusedReading


@dataclass(frozen=True)
class RefusedLine:
    """Refused readings of one series for one reason: the newest value [unit], how many, first and last.

    `raw`: the value in steps of the series' resolution; None where the layout states none.
    """

    point: str
    quantity: str
    reason: str
    value: float
    unit: str
    raw: float | None
    count: int
    first_ms: Annotated[TimeMs, sent_as("first")]
    last_ms: Annotated[TimeMs, sent_as("last")]


def refused_of(stores: DeviceStores, device: str) -> list[RefusedLine]:
    """Return what was refused of a device, the newest first."""
    return [_line(one) for one in stores.refusals.of_device(device)]


def lasting_refusals(refused: Sequence[RefusedReading], least_ms: float, least_count: int) -> list[RefusedReading]:
    """Return the runs of refused readings that last at least this long and have at least as many readings."""
    return [one for one in refused if one.last_ms - one.since_ms >= least_ms and one.run_count >= least_count]


def _line(one: RefusedReading) -> RefusedLine:
    return RefusedLine(
        point=one.point,
        quantity=one.quantity,
        reason=one.reason,
        value=one.value,
        unit=one.unit,
        raw=one.raw,
        count=one.count,
        first_ms=one.first_ms,
        last_ms=one.last_ms,
    )
