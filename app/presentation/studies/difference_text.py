"""What a comparison says in words: whether groups differ, from which reference, and what is excluded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from app.domain.studies import Difference
from app.presentation.studies.compare_view import group_label
from app.presentation.text import num, pct
from app.services.studies import ExcludedJob, Groups, RunGroup

_NAMES = {"energy_j": "energy", "mean_power_w": "mean power", "duration_s": "run time"}
MOST_DIGITS = 3
_REASONS = {
    "running": "still running",
    "no_coverage": "without readings",
    "low_coverage": "with too little coverage",
    "unfinished": "not finished",
    "no_tag": "without the tag",
    "other_method": "measured by another method",
}


def difference_text(group: RunGroup) -> str:
    """Say how energy and run time differ from the reference, and whether by more than the runs scatter."""
    if group.differences is None:
        return ""
    known = [(name, group.differences[name]) for name in ("energy_j", "duration_s")]
    texts = [_one(_NAMES[name], found) for name, found in known if not math.isnan(found.pct)]
    return f"{'; '.join(texts)}." if texts else ""


def _one(name: str, found: Difference) -> str:
    name = name[0].upper() + name[1:]
    digits = _digits(found)
    if math.isnan(found.low_pct):
        return f"{name} {_signed(found.pct, digits)}, from single runs: their scatter is not known"
    if found.low_pct == found.high_pct == 0:
        return f"{name}: the same in all runs"
    if found.low_pct == found.high_pct:
        return f"{name} {pct(abs(found.pct), digits)} {'more' if found.pct > 0 else 'less'}, without scatter"
    interval = f"95\u2009% interval {_signed(found.low_pct, digits)} to {_signed(found.high_pct, digits)}"
    if not found.is_significant:
        return f"{name}: no difference shown ({interval})"
    return f"{name} {pct(abs(found.pct), digits)} {'more' if found.pct > 0 else 'less'} ({interval})"


def _digits(found: Difference) -> int:
    """Return so many decimals that the ends of the interval differ."""
    width = found.high_pct - found.low_pct
    needed = math.ceil(-math.log10(width)) if width > 0 else 0
    return min(MOST_DIGITS, max(1 if abs(found.pct) < 10 else 0, needed))


def _signed(x: float, digits: int) -> str:
    return f"{'+' if x > 0 else ''}{num(x, digits)}\u2009%"


def reference_label(found: Groups) -> str:
    """Return the name of the reference: of single runs their name and number, never an id."""
    alike = [g for g in found.groups if found.reference and all(g.tags[k] == v for k, v in found.reference.items())]
    if len(alike) == 1:
        return group_label(alike[0])
    return ", ".join(found.reference.values())


def excluded_text(excluded: Sequence[ExcludedJob]) -> str:
    """Count excluded jobs by reason: `8 still running, 4 without readings`."""
    counted = Counter(job.reason for job in excluded)
    return ", ".join(f"{num(n)} {_REASONS[reason]}" for reason, n in counted.most_common())
