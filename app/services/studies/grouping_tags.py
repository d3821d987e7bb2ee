"""Tags to group runs by, and suggested comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import TypedDict

from app.domain.jobs import Grouping, groupings
from app.services.studies.stores import StudyStores
from app.services.studies.studies import number
from app.store.jobs import JobFilter, TagCount, TaggedJob, tag_counts, tagged_jobs

MOST_VALUES = 200
NEWEST = 2000
"""Number of newest ended jobs that suggestions are made from."""
MOST_IDS = 60


@dataclass(frozen=True)
class Suggestion:
    """A suggested comparison. where: tags that select it; ids instead if the tags match other jobs too."""

    by: str
    where: Sequence[tuple[str, str]]
    ids: Sequence[str]
    values: Sequence[tuple[str, int]]
    runs: int
    numeric: bool


class TagValue(TypedDict):
    """A value of a tag, and how many jobs have it."""

    value: str
    jobs: int


class StudyTag(TypedDict):
    """A tag with its most frequent values. `numeric`: all values are numbers; `distinct`: how many values it has."""

    tag: str
    numeric: bool
    jobs: int
    distinct: int
    values: list[TagValue]


def study_tags(stores: StudyStores, which: JobFilter) -> list[StudyTag]:
    """Return every tag with its most frequent values (200 at most), their jobs, and whether all are numbers."""
    by_tag: dict[str, list[TagCount]] = defaultdict(list)
    for count in tag_counts(stores.engine, which, stores.jobs.view):
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
    """Return comparisons among the newest runs, those with most repeats first."""
    jobs = tagged_jobs(stores.engine, NEWEST, stores.jobs.view)
    found = (_suggestion(grouping, jobs) for grouping in groupings([job.tags for job in jobs]))
    return [suggestion for suggestion in found if suggestion is not None]


def _suggestion(grouping: Grouping, jobs: Sequence[TaggedJob]) -> Suggestion | None:
    where = dict(grouping.where)
    alike = [i for i, job in enumerate(jobs) if all(job.tags.get(tag) == value for tag, value in where.items())]
    exact = alike == sorted(grouping.runs) and bool(where)
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
