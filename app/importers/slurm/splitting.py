"""A long text of Slurm cut into pieces that a request can hold, no job torn from its steps or its components."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_PART = re.compile(r"[^|.]*(?:\.|\+[1-9])")
"""A line of a step, or of a component after the first, belongs to the job above it."""
_WHOSE = ("account", "association", "cluster", "job_id", "name", "partition", "user")
_WHAT = ("array", "het", "nodes", "state", "time", "tres")


def pieces(text: str, longest: int = 16 * 2**20) -> Iterator[str]:
    """Yield a short text whole, a long one in pieces of about `longest` characters; JSON without unused fields."""
    if len(text) <= longest:
        yield text
    elif text.lstrip()[:1] == "{":
        yield from _of_json(text, longest)
    else:
        yield from _of_lines(text, longest)


def _of_json(text: str, longest: int) -> Iterator[str]:
    try:
        jobs = json.loads(text).get("jobs")
        kept = sorted(map(_slim, jobs), key=_number)
    except (ValueError, TypeError, AttributeError):
        yield text  # the server says what is wrong with it
        return
    held: list[dict[str, Any]] = []
    size = 0
    for job in kept:
        length = len(json.dumps(job))
        if size + length > longest and held and _number(job) != _number(held[-1]):
            yield json.dumps({"jobs": held})
            held, size = [], 0
        held.append(job)
        size += length
    yield json.dumps({"jobs": held})


def _slim(job: dict[str, Any]) -> dict[str, Any]:
    if "time" not in job:
        return job
    steps = [{"step": step.get("step"), "statistics": step.get("statistics")} for step in job.get("steps") or ()]
    return {name: job[name] for name in _WHOSE + _WHAT if name in job} | {"steps": steps}


def _number(job: dict[str, Any]) -> int:
    """The number of a job, of a component the leader's."""
    leader = (job.get("het") or {}).get("job_id") if isinstance(job.get("het"), dict) else None
    return int(leader or job.get("job_id") or 0)


def _of_lines(text: str, longest: int) -> Iterator[str]:
    first, *lines = text.splitlines(keepends=True)
    heading = first if first.lower().startswith("jobid|") else ""
    held: list[str] = [heading or first]
    size = len(first)
    for line in lines:
        if size + len(line) > longest and not _PART.match(line):
            yield "".join(held)
            held, size = [heading], len(heading)
        held.append(line)
        size += len(line)
    yield "".join(held)
