"""Studies: repeated runs in groups, and power caps against a reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response

from app.api.http import Json, Page, StoresDep, access, record_answer
from app.api.jobs import job_filter
from app.api.studies.models import CapTable, GroupTable, caps_answer, groups_answer
from app.api.studies.tables import CAPS_FILE, GROUPS_FILE, CapsSummary, GroupsSummary, caps_table, groups_table
from app.errors import Invalid
from app.services.files import RecordFormat
from app.services.studies import KS, Groups, PowerCaps, StudyTag, groups, power_caps, study_tags
from app.store.jobs import JobFilter

router = APIRouter(prefix="/api/v1", tags=["studies"], dependencies=[access("read")])

MOST_IDS = 500


def study_filter(
    which: Annotated[JobFilter, Depends(job_filter)],
    ids: Annotated[list[str] | None, Query(alias="id", description="id of a job to include, repeatable")] = None,
) -> JobFilter:
    """Return the jobs of a study: the filters of job lists, and ids."""
    wanted = tuple(dict.fromkeys(id_ for id_ in ids or [] if id_))
    if len(wanted) > MOST_IDS:
        raise Invalid(f"{len(wanted)} ids are more than {MOST_IDS}", "filter by tag instead", code="too_many_ids")
    return replace(which, ids=wanted)


Which = Annotated[JobFilter, Depends(study_filter)]
By = Annotated[
    list[str] | None,
    Query(description="tag to group by, repeatable: one group per combination. Also user, project, node, name, id"),
]
Reference = Annotated[
    list[str] | None, Query(description="value of the reference group, repeatable in the order of the tags")
]
Cap = Annotated[str, Query(description="tag that holds the cap")]
CapReference = Annotated[str, Query(description="reference cap")]
K = Annotated[list[float] | None, Query(description="weight of EDS_k, at least 1")]
MinCoverage = Annotated[float, Query(ge=0, le=1, description="exclude runs measured for a smaller share")]


def _groups(
    stores: StoresDep, which: Which, by: By = None, reference: Reference = None, min_coverage: MinCoverage = 0
) -> Groups:
    return groups(stores, which, by or [], reference or [], min_coverage)


def _power_caps(
    stores: StoresDep,
    which: Which,
    reference: CapReference,
    by: Cap = "power_cap_w",
    k: K = None,
    min_coverage: MinCoverage = 0,
) -> PowerCaps:
    return power_caps(stores, which, by, reference, k or KS, min_coverage)


GroupsDep = Annotated[Groups, Depends(_groups)]
PowerCapsDep = Annotated[PowerCaps, Depends(_power_caps)]


@router.get("/jobs/tags", summary="List tags of jobs", response_model=Page[StudyTag])
def list_job_tags(stores: StoresDep, which: Which) -> Json:
    """Return every tag with its values and how many jobs have each; `numeric` if all values are numbers."""
    return Json({"items": study_tags(stores, which), "next": None})


@router.get("/studies/groups", summary="Repeated runs in groups", response_model=GroupTable)
def get_study_groups(found: GroupsDep) -> Json:
    """Return per group n, mean ± sample standard deviation (ddof = 1), and ratios to the reference group.

    The energy of all runs is computed by one method, named in `method`. Jobs that match but are excluded are in
    `excluded`, each with the reason.
    """
    return Json(groups_answer(found))


@router.get("/studies/groups.summary.json", summary="What the file of groups cannot say", response_model=GroupsSummary)
def get_study_groups_summary(found: GroupsDep) -> Json:
    """Units, method, coverage, and the excluded jobs; the same is in the metadata of Parquet and Arrow."""
    return Json(groups_table(found).summary)


@router.get("/studies/groups.{format}", summary="Groups as a file", response_class=Response, responses=GROUPS_FILE)
def download_study_groups(request: Request, found: GroupsDep, format: RecordFormat) -> Response:
    """Return one group a line in base units; unknown values are empty."""
    return record_answer(request, "groups", groups_table(found), format)


@router.get("/studies/power-cap", summary="Power caps against a reference", response_model=CapTable)
def get_power_caps(study: PowerCapsDep) -> Json:
    """Return per cap the energy gain, performance loss, their difference, EDP and EDS_k; `best`: the best cap by each.

    EDS_k = αE + βt with α = (k − 1)/(k·E_ref), β = 1/(k·t_ref); `edp` is relative to the reference.
    """
    return Json(caps_answer(study))


@router.get(
    "/studies/power-cap.summary.json", summary="What the file of power caps cannot say", response_model=CapsSummary
)
def get_power_caps_summary(study: PowerCapsDep) -> Json:
    """Units, method, coverage, and the excluded jobs; the same is in the metadata of Parquet and Arrow."""
    return Json(caps_table(study).summary)


@router.get("/studies/power-cap.{format}", summary="Power caps as a file", response_class=Response, responses=CAPS_FILE)
def download_power_caps(request: Request, study: PowerCapsDep, format: RecordFormat) -> Response:
    """Return one cap a line; unknown values are empty."""
    return record_answer(request, "power-cap", caps_table(study), format)
