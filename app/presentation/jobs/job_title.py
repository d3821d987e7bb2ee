"""Name a job on the pages: kind, nodes, hardware and short tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.presentation.text import count
from app.store.facility import Facility
from app.store.jobs import Job

KINDS = ("kind", "task", "suite")
"""Tags that say what kind of work a job is; the first that is there counts."""
LONGEST_TAG = 28


def kind(tags: Mapping[str, str]) -> str:
    """`training`; empty without such a tag."""
    return next((tags[name] for name in KINDS if tags.get(name)), "")


def nodes_of(job: Job) -> list[str]:
    """The nodes of a job, each once."""
    return list(dict.fromkeys(part.node for part in job.nodes))


def hardware(facility: Facility, job: Job) -> str:
    """`8×H100 HGX`, `8 nodes, 8×H100 HGX`, `1 of 4 GPUs, 2× Xeon`; empty when no model is known."""
    nodes = nodes_of(job)
    found = {key: model for key in nodes if (n := facility.nodes.get(key)) and (model := facility.model_of(n))}
    titles = sorted({model.title for model in found.values()})
    words = [count(len(nodes), "node")] if len(nodes) > 1 else []
    words += _gpus(job, [model.gpus for model in found.values()]) if len(nodes) == 1 else []
    return ", ".join([*words, *(titles if len(titles) < 3 else [f"{len(titles)} models"])])


def _gpus(job: Job, have: Sequence[int | None]) -> list[str]:
    held = {gpu for part in job.nodes if part.gpus is not None for gpu in part.gpus}
    asked = any(part.gpus is not None for part in job.nodes)
    if not asked or not have or not have[0] or len(held) == have[0]:
        return []
    return [f"{len(held)} of {have[0]} GPUs"]


def telling_tags(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    """The tags to show: what is not shown elsewhere (`per:samples` is a figure) and short enough to read."""
    job_kind = kind(tags)
    return [
        (name, value)
        for name, value in tags.items()
        if not name.startswith(("official_", "per:", "slurm_")) and value != job_kind and 0 < len(value) <= LONGEST_TAG
    ]
