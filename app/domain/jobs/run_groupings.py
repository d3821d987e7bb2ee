"""Which runs were made to be compared: their tags differ in one thing, and some of them were repeated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Pairs = tuple[tuple[str, str], ...]
Tags = Mapping[str, str]

ASIDE = frozenset(
    {"repeat", "run", "run_id", "trial", "seed", "status", "queries", "source", "nodes", "round", "submitter"}
)
"""Tags that distinguish repeats of one configuration, or name their result or user."""
_ASIDE_BEGIN = ("official_", "per:", "slurm_", "full_")
MOST_GROUPS = 40


@dataclass(frozen=True)
class Grouping:
    """Runs that differ in the tag `by`.

    Attributes
    ----------
    where: the tags they have in common, by name.
    values: of `by`, each with how many runs have it; most first.
    runs: which of the given they are.
    """

    by: str
    where: Pairs
    values: tuple[tuple[str, int], ...]
    runs: tuple[int, ...]

    @property
    def repeated(self) -> int:
        """How many of its groups hold more than one run."""
        return sum(n > 1 for _, n in self.values)


def groupings(runs: Sequence[Tags], most: int = 8) -> list[Grouping]:
    """Return comparisons that the tags of some runs suggest, the best supported first; the same runs appear once.

    Runs are compared by a tag if all their other tags agree, except those that distinguish repeats.
    """
    kept = [{name: value for name, value in tags.items() if not _varies(name)} for tags in runs]
    found: list[Grouping] = []
    for by in sorted({name for tags in kept for name in tags}):
        found += _by(by, kept)
    found.sort(key=lambda g: (-g.repeated, -len(g.runs), len(g.values), g.by, g.where))
    first: dict[tuple[int, ...], Grouping] = {}
    for grouping in found:
        first.setdefault(grouping.runs, grouping)
    return list(first.values())[:most]


def _varies(name: str) -> bool:
    return name in ASIDE or name.startswith(_ASIDE_BEGIN)


def _by(by: str, runs: Sequence[Tags]) -> list[Grouping]:
    own = [i for i, tags in enumerate(runs) if by in tags]
    alike: dict[Pairs, list[int]] = defaultdict(list)
    for i in own:
        rest = tuple(sorted((k, v) for k, v in runs[i].items() if k != by))
        alike[rest].append(i)
    found = []
    for where, members in alike.items():
        counts: dict[str, int] = defaultdict(int)
        for i in members:
            counts[runs[i][by]] += 1
        if 2 <= len(counts) <= MOST_GROUPS:
            values = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
            found.append(Grouping(by, where, values, tuple(members)))
    return found
