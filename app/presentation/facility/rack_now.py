"""One rack of the facility page, as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.presentation.text import KnownPowerView
from app.services.live import SumBasis


@dataclass(frozen=True, kw_only=True)
class RackNow(KnownPowerView):
    """A rack now. None is missing: no reading, or nothing declared.

    Attributes
    ----------
    planning_w: the usable power less the margin of the site. basis: what its power is the sum of.
    alerts, critical: active alerts of the rack, its nodes and its devices, and how many of them are critical.
    substitutes: nodes in its sum that another source than their usual one measures.
    imbalance_pct: of the worst PDU. lines_missing: PDUs of which a line current is missing.
    inlet_c: of the warmest probe. probes_missing: whether a probe is missing.
    interval_s: of the slowest meter behind the power. meters: PDUs of the rack.
    """

    key: str
    label: str
    room: str | None = None
    room_label: str | None = None
    row: str | None = None
    position: int | None = None
    usable_w: float | None = None
    planning_w: float | None = None
    basis: SumBasis = "nodes"
    alerts: int = 0
    critical: int = 0
    imbalance_pct: float | None = None
    lines_missing: Sequence[str] = ()
    inlet_c: float | None = None
    probes_missing: bool = False
    interval_s: float | None = None
    meters: int = 0
    substitutes: Sequence[str] = ()

    @property
    def is_partial(self) -> bool:
        """Return whether a part of its power is missing."""
        return self.missing.count > 0

    @property
    def load_pct(self) -> float | None:
        """Return the share of the usable power [%]; a lower bound while a part is missing."""
        return None if self.known_w is None or not self.usable_w else 100.0 * self.known_w / self.usable_w

    @property
    def estimated_pct(self) -> float | None:
        """Return the share of the usable power with the last value of each missing part [%]."""
        return None if self.estimate_w is None or not self.usable_w else 100.0 * self.estimate_w / self.usable_w

    @property
    def room_w(self) -> float | None:
        """Return what is left of the usable power [W]; at most that while a part is missing."""
        return None if self.known_w is None or not self.usable_w else self.usable_w - self.known_w

    def polls_missed(self, now_ms: int) -> float | None:
        """Return the age of the oldest of its latest readings in nominal intervals."""
        return None if self.t_ms is None else (now_ms - self.t_ms) / 1000.0 / (self.interval_s or 10.0)
