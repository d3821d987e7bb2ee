"""The report of an import as lines of text."""

from __future__ import annotations

from app.domain.mlperf import OfficialComparison
from app.importers.tables import REASONS, rfc3339
from app.services.imports import ImportReport, RegisteredJob, StoredLog

_MANY = 10


def report_lines(report: ImportReport) -> list[str]:
    """Return one line per log (of few logs, or of those with problems, more), jobs, notes, problems, and a sum."""
    logs = report.logs
    many = len(logs) > _MANY
    text = []
    for log in logs:
        lines = _log_lines(log)
        text += lines[:1] if many and not _has_problem(log) else lines
    text += [line for job in report.jobs for line in _job_lines(job)]
    text += [f"to do: {note}" for note in report.notes]
    text += [f"not imported: {problem}" for problem in report.problems]
    if len(logs) > 1:
        rows, kept = sum(log.rows for log in logs), sum(log.kept for log in logs)
        new = sum(log.accepted for log in logs)
        jobs = f"{len(report.jobs)} job{'s' * (len(report.jobs) != 1)}"
        text.append(f"{len(logs)} logs: {kept:,} of {rows:,} rows, {new:,} of them new; {jobs}")
    return text


def _has_problem(log: StoredLog) -> bool:
    return bool(log.rejected or log.conflicts or log.refused or log.impossible or log.missing)


def _log_lines(log: StoredLog) -> list[str]:
    stream = log.device if log.group == "main" else f"{log.device} {log.group}"
    stored = [f"{log.accepted:,} new"]
    stored += [f"{log.duplicates:,} already stored"] if log.duplicates else []
    stored += [f"{log.conflicts:,} contradict stored values and were dropped"] if log.conflicts else []
    every = f"one row every {log.interval_ms / 1000:g} s"
    text = [f"{log.source} → {stream}: {log.kept:,} of {log.rows:,} rows ({every}): {', '.join(stored)}"]
    text += [f"  dropped {n:,}: {REASONS[reason]}" for reason, n in log.rejected.items()]
    text += [f"  no value in {n:,} rows: {key.replace(':', ' ')}" for key, n in log.missing.items()]
    if log.impossible:
        text.append(
            f"  {log.impossible:,} impossible readings stored as missing: GET /api/v1/devices/{log.device}/refused"
        )
    return text + [f"  rejected by the server: {reason}" for reason in log.refused]


def _job_lines(job: RegisteredJob) -> list[str]:
    what = "registered" if job.created else "already registered"
    window = f"{rfc3339(job.start_ms)} … {rfc3339(job.end_ms)}"
    nodes = job.nodes[0] if len(job.nodes) == 1 else f"{len(job.nodes)} nodes"
    text = [f"job {job.id} {what}: {job.name} on {nodes}, {window}"]
    if job.energy_j is not None and job.mean_w is not None and job.coverage is not None:
        energy = f"{job.energy_j:,.0f} J ({job.energy_j / 3.6e6:,.4g} kWh)"
        text.append(f"  measured {energy}, mean {job.mean_w:,.1f} W, coverage {100 * job.coverage:.2f} %")
    return text + (_comparison_lines(job.comparison) if job.comparison else [])


def _comparison_lines(comparison: OfficialComparison) -> list[str]:
    return [
        f"  official {comparison.official_energy_j:,.0f} J, mean {comparison.official_mean_w:,.1f} W"
        f" ({comparison.rule}); measured differs by {comparison.difference_pct:+.2f} %",
        f"  from measured to official: {comparison.why()}",
    ]
