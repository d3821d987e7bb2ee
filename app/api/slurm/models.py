"""Parameters of a node's prolog and epilog: a shell script writes them without a JSON tool."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Moment, Text
from app.importers.slurm import expand
from app.services.slurm import Begin, End


class PrologQuery(BaseModel):
    """What a node's prolog reports."""

    model_config = ConfigDict(extra="forbid")

    job_id: Text = Field(min_length=1, description="SLURM_JOB_ID", examples=["4711"])
    node: Text = Field(min_length=1, description="SLURMD_NODENAME")
    cluster: Text = ""
    start: Moment | None = Field(default=None, description="now, if none")
    nodelist: Text = Field(default="", description="every node of the job, `n[01-04]`")
    cpus_per_node: Text = Field(default="", description="`2(x3),1`, in the order of the list")
    gpus: Text = Field(default="", description="GPUs of this node: UUIDs or indices between commas; omitted: unknown")
    name: Text = ""
    user: Text = ""
    account: Text = ""
    partition: Text = ""
    restart: Annotated[int, Field(ge=0, description="SLURM_JOB_RESTART_COUNT")] = 0
    node_prefix: Text = ""

    def to_begin(self, now_ms: int) -> Begin:
        """The service's form."""
        gpus = tuple(int(gpu) if gpu.isdigit() else gpu for gpu in self.gpus.replace(" ", "").split(",") if gpu)
        names = expand(self.nodelist)
        return Begin(
            cluster=self.cluster or None,
            job_id=self.job_id,
            node=self.node_prefix + self.node,
            start_ms=now_ms if self.start is None else self.start,
            nodes=tuple(self.node_prefix + name for name in names),
            cpus_per_node=self.cpus_per_node,
            gpus=gpus or None,
            name=self.name,
            user=self.user or None,
            account=self.account or None,
            partition=self.partition or None,
            restart=self.restart,
        )


class EpilogQuery(BaseModel):
    """What a node's epilog reports."""

    model_config = ConfigDict(extra="forbid")

    job_id: Text = Field(min_length=1, description="SLURM_JOB_ID")
    node: Text = Field(min_length=1, description="SLURMD_NODENAME")
    cluster: Text = ""
    end: Moment | None = Field(default=None, description="now, if none")
    exit_code: int | None = Field(default=None, description="SLURM_JOB_EXIT_CODE")
    node_prefix: Text = ""

    def to_end(self, now_ms: int) -> End:
        """The service's form."""
        return End(
            cluster=self.cluster or None,
            job_id=self.job_id,
            node=self.node_prefix + self.node,
            end_ms=now_ms if self.end is None else self.end,
            exit_code=self.exit_code,
        )
