"""The JSON of Slurm as far as it is read: that of `sacct --json`, and that of `squeue --json` and slurmrestd."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from app.importers.slurm import ASKED


class SlurmNumber(TypedDict, total=False):
    """A number as Slurm 23.02 and newer writes it: it counts if it is `set` and not `infinite`."""

    set: bool
    infinite: bool
    number: float


Number = SlurmNumber | int | None
Seconds = Annotated[Number, Field(description="seconds since 1970, UTC; 0 for none")]
State = Annotated[list[str] | str, Field(description="a word, or a list of words, as Slurm writes it")]


class SlurmJobTimes(TypedDict, total=False):
    """Times of a job in accounting. `suspended`: for how long it was suspended [s]."""

    submission: Seconds
    start: Seconds
    end: Seconds
    suspended: Annotated[Number, Field(description="s")]


class SlurmJobState(TypedDict, total=False):
    """State of a job in accounting."""

    current: State


class SlurmResource(TypedDict, total=False):
    """A trackable resource. `count`: number of CPUs, GPUs or nodes; MiB of memory, J of energy."""

    type: Annotated[str, Field(examples=["gres"])]
    name: Annotated[str | None, Field(examples=["gpu"])]
    count: Number


class SlurmJobResources(TypedDict, total=False):
    """Resources of a job in accounting."""

    allocated: list[SlurmResource]


class SlurmJobEntry(TypedDict, total=False):
    """A job of `sacct --json`, with `time`, or of `squeue --json`. Fields that are not listed are not read."""

    job_id: Number
    cluster: str | None
    account: str | None
    partition: str | None
    name: str | None
    nodes: Annotated[str | None, Field(description="host list", examples=["gpu[001-004]"])]
    user: Annotated[str | None, Field(description="sacct")]
    time: Annotated[SlurmJobTimes, Field(description="sacct")]
    state: Annotated[SlurmJobState, Field(description="sacct")]
    tres: Annotated[SlurmJobResources, Field(description="sacct")]
    user_name: Annotated[str | None, Field(description="squeue")]
    job_state: Annotated[State, Field(description="squeue")]
    submit_time: Annotated[Seconds, Field(description="squeue; seconds since 1970, UTC")]
    start_time: Annotated[Seconds, Field(description="squeue; seconds since 1970, UTC")]
    end_time: Annotated[Seconds, Field(description="squeue; seconds since 1970, UTC; read once the job has ended")]
    tres_alloc_str: Annotated[str | None, Field(description="squeue", examples=["cpu=64,gres/gpu=4,node=1"])]
    gres_detail: Annotated[list[str], Field(description="squeue", examples=[["gpu:a100:4(IDX:0-3)"]])]


class SlurmJobsBody(TypedDict):
    """What `sacct --json`, `squeue --json` or slurmrestd answers."""

    jobs: list[SlurmJobEntry]


_TIMES = {"submission": 1795165140, "start": 1795165200, "end": 1795168800, "suspended": 0}
_EXAMPLE = {
    "jobs": [
        {
            "job_id": 4711,
            "cluster": "horeka",
            "name": "resnet-b512",
            "user": "ada",
            "nodes": "gpu[001-002]",
            "time": _TIMES,
            "state": {"current": ["COMPLETED"]},
            "tres": {"allocated": [{"type": "cpu", "count": 128}, {"type": "gres", "name": "gpu", "count": 8}]},
        }
    ]
}
_LINE = (
    "4711|4711|horeka|gpu|ml|ada|COMPLETED|2026-11-20T08:59:00|2026-11-20T09:00:00|2026-11-20T10:00:00|3600|00:00:00|"
    "128|cpu=128,gres/gpu=8,node=2||gpu[001-002]|resnet-b512"
)
_TEXT = {
    "type": "string",
    "description": "lines of `sacct -P` with their header, or what `scontrol show job -d` prints; times are local",
}
SLURM_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/SlurmJobsBody"}, "example": _EXAMPLE},
            "text/plain": {"schema": _TEXT, "example": f"{ASKED.replace(',', '|')}\n{_LINE}\n"},
        },
    }
}
