"""`scontrol show job -d`: jobs of the last minutes, with what each node gave and the indices of GPUs while they run."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

from app.importers.slurm.nodes import expand
from app.importers.slurm.record import SlurmRecord, SlurmShare, normal_state, runs
from app.importers.slurm.times import SlurmTimes, moments
from app.importers.slurm.tres import read_gres, read_tres

SIGN = re.compile(r"\AJobId=\d+", re.M)
_JOB = re.compile(r"^JobId=", re.M)
_FIELD = re.compile(r"(?:^|\s)([A-Z][\w:/]*)=(\S*)")
_PART = re.compile(r"\sNodes=(\S+) CPU_IDs=(\S*) Mem=\S* GRES=(\S*)")


def read_scontrol(text: str, tz: ZoneInfo) -> list[SlurmRecord]:
    """Every job of the text; times without an offset are local ones of `tz`."""
    blocks = [f"JobId={block}" for block in _JOB.split(text)[1:]]
    fields = [_fields(block) for block in blocks]
    rows = [[f.get(f"{name}Time", "") for name in ("Submit", "Start", "End")] for f in fields]
    times = moments(rows, [None] * len(rows), tz)
    return [_record(f, block, when) for f, block, when in zip(fields, blocks, times, strict=True)]


def _fields(block: str) -> dict[str, str]:
    """Fields by name; the user's own words (JobName, to the end of its line) hold none."""
    first, _, rest = block.partition("\n")
    head, _, name = first.partition(" JobName=")
    found = _FIELD.findall(f"{head}\n{_PART.sub(' ', rest)}")
    return dict(reversed(found)) | {"JobName": name}  # the first of a name counts


def _record(fields: dict[str, str], block: str, when: SlurmTimes) -> SlurmRecord:
    state = normal_state(fields.get("JobState", ""))
    raw = fields["JobId"]
    array, task = fields.get("ArrayJobId"), fields.get("ArrayTaskId", "")
    known = f"{array}_{task}" if array and task.isdigit() else raw
    exclusive = True if fields.get("OverSubscribe") == "NO" else None
    shares = tuple(
        SlurmShare(node=node, cores=_cpus(cpus), gpus=read_gres(gres), exclusive=exclusive)
        for nodes, cpus, gres in _PART.findall(block)
        for node in expand(nodes)
    )
    return SlurmRecord(
        job_id=known,
        raw_id=raw if raw != known else None,
        array_id=array if raw != known else None,
        het=(fields["HetJobId"], int(fields.get("HetJobOffset") or 0)) if "HetJobId" in fields else None,
        submit_ms=when.submit_ms,
        start_ms=when.start_ms,
        end_ms=None if runs(state) else when.end_ms,
        trouble=when.trouble,
        state=state,
        name=fields["JobName"],
        user=re.sub(r"\(.*", "", fields.get("UserId", "")) or None,
        account=_some(fields.get("Account")),
        partition=_some(fields.get("Partition")),
        nodes=fields.get("NodeList", ""),
        tres=read_tres(fields.get("TRES") or fields.get("AllocTRES", "")),
        exclusive=exclusive,
        shares=shares,
    )


def _cpus(ids: str) -> int | None:
    """`0-3,8` is 5."""
    spans = [part.partition("-") for part in ids.split(",") if part]
    if not all(first.isdigit() and (last.isdigit() or not last) for first, _, last in spans):
        return None
    return sum(int(last or first) - int(first) + 1 for first, _, last in spans) or None


def _some(text: str | None) -> str | None:
    return None if text in (None, "", "(null)") else text
