"""JSON of `sacct --json`, `squeue --json` and slurmrestd, as every data_parser since v0.0.37 writes it.

A number is plain up to v0.0.39 and `{"set": …, "infinite": …, "number": …}` in later ones, field by field; a state is a
word up to v0.0.39 and a list later.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.errors import Invalid
from app.importers.slurm.record import SlurmRecord, normal_state, runs, step_energy
from app.importers.slurm.tres import Gpus, count, read_gres, read_tres, read_tres_list

Json = Mapping[str, Any]
_EMPTY = 9003
"""ESLURM_REST_EMPTY_RESULT: up to 22.05 no jobs is an error too."""


def read_json(text: str) -> list[SlurmRecord]:
    """Every job of a document; its steps are looked at for their energy only.

    Raises
    ------
    Invalid
        It is not JSON, or holds no list of jobs.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise Invalid(f"this is not JSON: {error}", "give it what `sacct --json` prints", code="not_json") from None
    jobs = document.get("jobs") if isinstance(document, dict) else None
    if not jobs and (problem := _errors(document)):
        raise Invalid(f"Slurm reports: {problem}", "ask it again for what `sacct --json` prints", code="no_slurm_jobs")
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        raise Invalid("there are no jobs in this JSON", "give it what `sacct --json` prints", code="no_slurm_jobs")
    return [_accounted(job) if "time" in job else _live(job) for job in jobs]


def _errors(document: object) -> str:
    """What went wrong for Slurm: sacct writes it beside an empty list, and ends as if all were well."""
    errors = document.get("errors") if isinstance(document, dict) else None
    found = [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []
    found = [error for error in found if error.get("error_number") != _EMPTY]
    return "; ".join(str(error.get("description") or error.get("error") or error) for error in found)[:500]


def _accounted(job: Json) -> SlurmRecord:
    """A job of the accounting database."""
    times = _under(job, "time")
    tres = read_tres_list(_under(job, "tres").get("allocated") or ())
    state = _state(_under(job, "state").get("current"))
    array, het = _under(job, "array"), _under(job, "het")
    return SlurmRecord(
        **_identity(job, (array.get("job_id"), array.get("task_id")), (het.get("job_id"), het.get("job_offset"))),
        submit_ms=_moment(times.get("submission")),
        start_ms=_moment(times.get("start")),
        end_ms=None if runs(state) else _moment(times.get("end")),
        state=state,
        name=str(job.get("name") or ""),
        user=job.get("user") or _under(job, "association").get("user") or None,
        nodes=str(job.get("nodes") or ""),
        tres=tres,
        suspended_s=_number(times.get("suspended")) or 0,
        energy_j=tres.get("energy") or step_energy(_steps(job)),
    )


def _live(job: Json) -> SlurmRecord:
    """A job of the controller: squeue, slurmrestd."""
    state = _state(job.get("job_state"))
    assigned = _under(job, "job_resources").get("nodes")
    nodes = (assigned if isinstance(assigned, str) else "") or str(job.get("nodes") or "")
    return SlurmRecord(
        **_identity(
            job, (job.get("array_job_id"), job.get("array_task_id")), (job.get("het_job_id"), job.get("het_job_offset"))
        ),
        submit_ms=_moment(job.get("submit_time")),
        start_ms=_moment(job.get("start_time")),
        end_ms=None if runs(state) else _moment(job.get("end_time")),
        state=state,
        name=str(job.get("name") or ""),
        user=job.get("user_name") or None,
        nodes=nodes,
        tres=read_tres(str(job.get("tres_alloc_str") or "")),
        gpus_by_node=_gpus_by_node(job),
        exclusive=_exclusive(job),
    )


def _identity(job: Json, array: tuple[object, object], het: tuple[object, object]) -> dict[str, Any]:
    raw = str(_number(job.get("job_id")) or "?")
    array_id, task = _number(array[0]), _number(array[1])
    leader, offset = _number(het[0]), _number(het[1])
    known = raw if not array_id or task is None else f"{array_id}_{task}"
    return {
        "job_id": known,
        "raw_id": raw if raw != known else None,
        "array_id": str(array_id) if raw != known else None,
        "het": (str(leader), offset or 0) if leader else None,
        "cluster": job.get("cluster") or None,
        "account": job.get("account") or None,
        "partition": job.get("partition") or None,
    }


def _steps(job: Json) -> Iterator[tuple[str, int | None]]:
    for step in job.get("steps") or ():
        used = _number(_under(_under(step, "statistics"), "energy").get("consumed"))
        yield str(_under(step, "step").get("name") or ""), used


def _gpus_by_node(job: Json) -> tuple[Gpus, ...]:
    """`gres_detail`: an entry a node, with the indices of its GPUs while the job runs."""
    details = job.get("gres_detail")
    return tuple(read_gres(str(text)) for text in details) if isinstance(details, list) else ()


def _exclusive(job: Json) -> bool | None:
    value = job.get("exclusive")
    return True if (value is True or (isinstance(value, list) and "true" in value)) else None


def _under(holder: Json, name: str) -> Json:
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: object) -> int | None:
    if isinstance(value, dict):
        value = value.get("number") if value.get("set") and not value.get("infinite") else None
    return count(value)


def _moment(value: object) -> int | None:
    seconds = _number(value)
    return seconds * 1000 if seconds else None


def _state(value: object) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return normal_state(str(first or ""))
