"""What readers of a study must know about its runs."""

from __future__ import annotations

from app.presentation.text import coverage
from app.services.studies import Groups

WHOLE = 0.99
"""Runs measured for a smaller share of their time are mentioned."""


def study_warnings(found: Groups) -> list[str]:
    """Return sentences about runs that are incomplete, measured in different places, or simulated."""
    runs = found.runs
    poor = [run for run in runs if run.coverage < WHOLE]
    warnings = []
    if poor:
        worst = coverage(min(run.coverage for run in poor))
        warnings.append(
            f"{len(poor)} of {len(runs)} runs were measured for less than {100 * WHOLE:g} % of their time, the "
            f"worst for {worst}: their energies are incomplete. min_coverage={WHOLE:g} excludes them."
        )
    if len({run.source for run in runs}) > 1:
        sources = ", ".join(sorted({str(run.source) for run in runs}))
        warnings.append(f"Not all runs were measured at the same place: {sources}.")
    derived = sum(run.power_basis != "measured" for run in runs)
    if derived:
        warnings.append(
            f"The power of {derived} of {len(runs)} runs is derived from energy registers: its maxima are means."
        )
    if found.simulated:
        warnings.append(f"{found.simulated} of {len(runs)} runs are simulated (tag simulated:true).")
    return warnings
