"""Parse which GPUs of a node a job holds: whole ones by index or UUID, or slices of a partitioned one (MIG)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SLICES = 7
"""Number of compute slices of a GPU unless its model states it: A100, H100, H200, B200 and their kin."""
_SLICED = re.compile(r"(?P<gpu>.+):(?:(?P<n>\d+)/(?P<of>\d+)|(?:(?P<c>\d+)c\.)?(?P<g>\d+)g\.\d+gb(?:[+.-]\w+)*)")
"""`0:3/7`, or the name of a profile: `0:3g.40gb`, `0:1c.3g.20gb` (one compute slice inside a GPU instance of three).
Source: NVIDIA MIG user guide, "MIG Device Names"."""
_INDEXED = re.compile(r"\d{1,3}:")
"""`0:x`; the bus address of a GPU, `00000000:3B:00.0`, begins with four digits at least."""


@dataclass(frozen=True)
class GpuClaim:
    """A GPU by its index or UUID, and how much of it is held: 0 < share ≤ 1."""

    name: str
    share: float


def gpu_claim(given: str | int, slices: int = SLICES) -> GpuClaim:
    """Parse a claim of a job: `3`, `"GPU-…"`, `"0:3/7"`, `"0:3g.40gb"`.

    Raises
    ------
    ValueError
        More slices than there are, or none; or what follows an index is no part of a GPU.
    """
    found = _SLICED.fullmatch(given) if isinstance(given, str) else None
    if found is None and isinstance(given, str) and _INDEXED.match(given):
        raise ValueError(f"{given!r} is not a part of a GPU")
    if found is None:
        return GpuClaim(str(given), 1.0)
    n, of = int(found["n"] or found["c"] or found["g"]), int(found["of"] or slices)
    if not 0 < n <= of:
        raise ValueError(f"{given!r} is not a part of a GPU: {n} of {of} slices")
    return GpuClaim(found["gpu"], n / of)


def held_gpus(given: Sequence[str | int], labels: Mapping[str, str], slices: int = SLICES) -> dict[str, float]:
    """GPU point → share of it, for GPUs of a node by their labels; an unknown name becomes a point of its own."""
    found: dict[str, float] = {}
    for one in given:
        claim = gpu_claim(one, slices)
        point = next((p for p, label in labels.items() if _is(claim.name, p, label)), f"gpu/{claim.name}")
        found[point] = found.get(point, 0.0) + claim.share
    return found


def _is(name: str, point: str, label: str) -> bool:
    return name == point.rpartition("/")[2] or (bool(name) and not name.isdigit() and name in label)
