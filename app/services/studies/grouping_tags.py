"""Tags to group runs by, and comparisons that the runs that are there suggest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.domain.jobs import Grouping, groupings
from app.services.studies.stores import StudyStores
from app.services.studies.studies import number
from app.store.jobs import JobFilter, TagCount, TaggedJob, tag_counts, tagged_jobs

MOST_VALUES = 200
NEWEST = 2000
"""Comparisons are looked for among so many of the newest ended jobs."""
MOST_IDS = 60


@dataclass(frozen=True)
class Suggestion:
    """A comparison worth looking at. where: tags that narrow to it; ids instead, where they match other jobs too."""

    by: str
    where: Sequence[tuple[str, str]]
    ids: Sequence[str]
    values: Sequence[tuple[str, int]]
    runs: int
    numeric: bool


def study_tags(stores: StudyStores, which: JobFilter) -> list[dict[str, Any]]:
    """Every tag: its values with how many jobs carry each, most first (200 at most), and whether all are numbers."""
    by_tag: dict[str, list[TagCount]] = defaultdict(list)
    for count in tag_counts(stores.engine, which):
        by_tag[count.tag].append(count)
    return [
        {
            "tag": tag,
            "numeric": all(number(each.value) is not None for each in counts),
            "jobs": sum(each.jobs for each in counts),
            "distinct": len(counts),
            "values": [{"value": each.value, "jobs": each.jobs} for each in counts[:MOST_VALUES]],
        }
        for tag, counts in by_tag.items()
    ]


def suggestions(stores: StudyStores) -> list[Suggestion]:
    """Comparisons among the newest runs, the best repeated first."""
    jobs = tagged_jobs(stores.engine, NEWEST)
    found = (_suggestion(grouping, jobs) for grouping in groupings([job.tags for job in jobs]))
    return [suggestion for suggestion in found if suggestion is not None]


def _suggestion(grouping: Grouping, jobs: Sequence[TaggedJob]) -> Suggestion | None:
    told = dict(grouping.where)
    alike = [i for i, job in enumerate(jobs) if all(job.tags.get(tag) == value for tag, value in told.items())]
    exact = alike == sorted(grouping.runs) and bool(told)
    if not exact and len(grouping.runs) > MOST_IDS:
        return None
    return Suggestion(
        by=grouping.by,
        where=grouping.where,
        ids=() if exact else [jobs[i].id for i in grouping.runs],
        values=grouping.values,
        runs=len(grouping.runs),
        numeric=all(number(value) is not None for value, _ in grouping.values),
    )
