"""Lines of `sacct -P`: a job a line, its steps below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from zoneinfo import ZoneInfo

from app.errors import Invalid
from app.importers.slurm.record import Skipped, SlurmRecord, normal_state, runs, step_energy
from app.importers.slurm.times import SlurmTimes, moments
from app.importers.slurm.tres import count, read_tres

NEEDED = ("jobid", "start", "end", "state", "nodelist")
ASKED = (
    "JobID,JobIDRaw,Cluster,Partition,Account,User,State,Submit,Start,End,ElapsedRaw,Suspended,AllocCPUS,AllocTRES,"
    "ConsumedEnergyRaw,NodeList,JobName"
)
"""What to give `sacct --format`. The name comes last: it may hold the mark that divides."""
_HET = re.compile(r"(\d+)\+(\d+)")
_ARRAY = re.compile(r"(\d+)_(\d+)")
_SPAN = re.compile(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+)(?:\.\d+)?")

Row = Mapping[str, str]


def read_text(text: str, tz: ZoneInfo, columns: Sequence[str] = ()) -> tuple[list[SlurmRecord], list[Skipped]]:
    """Jobs of the text, and lines that are none.

    Parameters
    ----------
    columns: what the fields are, in the words of `sacct --format`, where the text has no heading.

    Raises
    ------
    Invalid
        There is no heading and no `columns`, or one that is needed is missing.
    """
    lines = [line for line in text.splitlines() if line.strip() and line.strip('"')]
    names = [name.strip().partition("%")[0].lower() for name in columns] or _heading(lines)
    if missing := [name for name in NEEDED if name not in names]:
        raise Invalid(
            f"column{'s' if len(missing) > 1 else ''} {', '.join(missing)} missing",
            f"ask sacct for --format={ASKED}; without a heading (-n) name what it printed with --columns",
            code="no_slurm_columns",
        )
    jobs: list[Row] = []
    steps: dict[str, list[tuple[str, int | None]]] = {}
    skipped: list[Skipped] = []
    for line in lines if columns else lines[1:]:
        row = _row(line, names)
        if row is None:
            skipped.append(Skipped(line.partition("|")[0][:40], f"not a line of {len(names)} fields"))
            continue
        job, _, step = row["jobid"].partition(".")
        if step:
            steps.setdefault(job, []).append((step, count(row.get("consumedenergyraw"))))
        else:
            jobs.append(row)
    times = moments([[row.get("submit", ""), row["start"], row["end"]] for row in jobs], list(map(_held_s, jobs)), tz)
    return [_record(row, when, steps) for row, when in zip(jobs, times, strict=True)], skipped


def _heading(lines: Sequence[str]) -> list[str]:
    names = lines[0].lower().split("|") if lines else []
    return names if "jobid" in names else []


def _row(line: str, names: Sequence[str]) -> Row | None:
    """A line by its columns; the last one takes the rest of the line, for a name may hold the mark itself."""
    cells = line.removeprefix('"""').split("|", len(names) - 1)
    return dict(zip(names, (cell.strip() for cell in cells), strict=True)) if len(cells) == len(names) else None


def _record(row: Row, when: SlurmTimes, steps: Mapping[str, list[tuple[str, int | None]]]) -> SlurmRecord:
    known = row["jobid"]
    raw = row.get("jobidraw") or known
    het, array = _HET.fullmatch(known), _ARRAY.fullmatch(known)
    state = normal_state(row["state"])
    tres = read_tres(row.get("alloctres", ""))
    energy = next(_energies(row, tres), None) or step_energy(steps.get(known, []))
    return SlurmRecord(
        job_id=known,
        raw_id=raw if raw != known else None,
        array_id=array[1] if array else None,
        het=(het[1], int(het[2])) if het else None,
        cluster=row.get("cluster") or None,
        submit_ms=when.submit_ms,
        start_ms=when.start_ms,
        end_ms=None if runs(state) else when.end_ms,
        trouble=when.trouble,
        state=state,
        name=row.get("jobname", ""),
        user=row.get("user") or None,
        account=row.get("account") or None,
        partition=row.get("partition") or None,
        nodes=row["nodelist"],
        cpus=count(row.get("alloccpus") or row.get("ncpus")),
        tres=tres,
        suspended_s=_seconds(row.get("suspended", "")) or 0,
        energy_j=energy,
    )


def _energies(row: Row, tres: Mapping[str, int]) -> Iterator[int]:
    """ConsumedEnergy [J] where a column has one; 0 is what Slurm writes where nothing measures."""
    for joules in (
        count(row.get("consumedenergyraw")),
        tres.get("energy"),
        count(row.get("consumedenergy"), base=1000),
    ):
        if joules:
            yield joules


def _held_s(row: Row) -> int | None:
    """Return how long the job held its nodes, from elapsed and suspended time; None where these are not reported."""
    elapsed = count(row.get("elapsedraw"))
    if elapsed is None:
        elapsed = _seconds(row.get("elapsed", ""))
    return None if elapsed is None else elapsed + (_seconds(row.get("suspended", "")) or 0)


def _seconds(text: str) -> int | None:
    """`1-02:03:04` is 93,784 s."""
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds
