"""Everything that the compare page and the report of a study are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.errors import Invalid
from app.services.facility import SiteName, site_name
from app.services.studies.cap_study import PowerCaps, against, is_power_cap
from app.services.studies.grouping_tags import StudyTag, Suggestion, study_tags, suggestions
from app.services.studies.stores import StudyStores
from app.services.studies.studies import Groups, compared, groups, number
from app.store.jobs import JobFilter


@dataclass(frozen=True)
class Comparison:
    """Groups of runs side by side. Without a tag to group by there are suggestions and no groups.

    Attributes
    ----------
    caps: the groups as a power-cap study, where the tag is a power cap; caps_why: why there is none although it is.
    """

    now_ms: int
    site: SiteName
    by: Sequence[str]
    found: Groups | None
    caps: PowerCaps | None
    caps_why: str
    tags: Sequence[StudyTag]
    suggestions: Sequence[Suggestion]


def read_comparison(
    stores: StudyStores,
    which: JobFilter,
    by: Sequence[str],
    reference: Sequence[str],
    min_coverage: float = 0.0,
    cap: str | None = None,
) -> Comparison:
    """Group the jobs of a filter and compare the groups; `cap`: a tag that is a power cap whatever its name.

    Raises
    ------
    Invalid, NotFound
        As `groups`.
    """
    now = stores.now_ms()
    names = list(by) or (["id"] if which.ids else [])
    found = groups(stores, which, names, reference, min_coverage) if names else None
    if found and not reference:
        found = compared(found, default_reference(found))
    caps, why = _caps(found, cap)
    return Comparison(
        now_ms=now,
        site=site_name(stores.facility.at(now), None),
        by=names,
        found=found,
        caps=caps,
        caps_why=why,
        tags=study_tags(stores, which),
        suggestions=suggestions(stores) if found is None else [],
    )


def is_numeric(found: Groups) -> bool:
    """Return whether the groups are the numbers of one tag."""
    return len(found.by) == 1 and all(
        number(value) is not None for group in found.groups for value in group.tags.values()
    )


def default_reference(found: Groups) -> dict[str, str]:
    """Return the reference among groups by one tag: the highest number, else the group with the least energy.

    Groups by several tags have none.
    """
    if len(found.by) != 1 or len(found.groups) < 2:
        return {}
    if is_numeric(found) and found.by != ["id"]:
        return dict(max(found.groups, key=lambda group: number(group.key) or 0.0).tags)
    return dict(min(found.groups, key=lambda group: group.figures["energy_j"].mean).tags)


def _caps(found: Groups | None, cap: str | None) -> tuple[PowerCaps | None, str]:
    """Return the groups as a power-cap study if their tag is a power cap and a number."""
    if found is None or len(found.groups) < 2 or not is_numeric(found):
        return None, ""
    if found.by[0] != cap and not is_power_cap(found.by[0]):
        return None, ""
    reference = number(found.reference.get(found.by[0], ""))
    if reference is None:
        return None, ""
    try:
        return against(found, found.by[0], reference), ""
    except Invalid as problem:
        return None, f"{problem.detail}: {problem.hint}"
