"""Line currents now, and how evenly they load the lines of a rack's PDUs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.capacity import dead_lines, phase_imbalance_pct
from app.services.energy import LINE, pdus_in
from app.services.live.live_values import LiveBalance
from app.services.live.power_now import points_like
from app.services.timeseries import LatestReadings
from app.store.facility import Facility
from collectors.contract import Quantity


@dataclass(frozen=True, slots=True)
class LinesNow:
    """The current of each line of a device [A] by its point; None is missing."""

    amps: Mapping[str, float | None]

    def to_wire(self) -> Mapping[str, float | None]:
        """Return the JSON form."""
        return self.amps


@dataclass(frozen=True, slots=True)
class BalanceNow:
    """How evenly the lines of a rack are loaded: of its worst PDU; `missing`: PDUs of which a line is missing."""

    imbalance_pct: float | None
    missing: tuple[str, ...]

    def to_wire(self) -> LiveBalance:
        """Return the JSON form."""
        return {"imbalance_pct": self.imbalance_pct, "lines_missing": list(self.missing)}


def lines_now(device: str, latest: LatestReadings) -> LinesNow:
    """Return the line currents of a device."""
    points = points_like(LINE, latest.points(device, Quantity.CURRENT))
    return LinesNow({point: latest.value(f"{device}/{point}:current") for point in points})


def balance_now(facility: Facility, rack: str, lines: Mapping[str, LinesNow], latest: LatestReadings) -> BalanceNow:
    """Return how evenly the lines of a rack are loaded; `lines`: those of every PDU."""
    each = {d.key: found.amps for d in pdus_in(facility, rack) if (found := lines.get(d.key))}
    missing = tuple(pdu for pdu, amps in each.items() if None in amps.values())
    worst = [pct for pdu, amps in each.items() if not math.isnan(pct := _imbalance_pct(pdu, amps, latest))]
    return BalanceNow(max(worst, default=None), missing)


def _imbalance_pct(pdu: str, amps: Mapping[str, float | None], latest: LatestReadings) -> float:
    """Return the imbalance of the lines in use [%]; NaN where one is missing."""
    volts = {point: latest.value(f"{pdu}/{point}:voltage") for point in amps} if 0.0 in amps.values() else {}
    dead = dead_lines(amps, volts)
    lines = [a for point, a in amps.items() if point not in dead]
    currents = [a for a in lines if a is not None]
    return phase_imbalance_pct(currents) if len(currents) == len(lines) >= 2 else math.nan
