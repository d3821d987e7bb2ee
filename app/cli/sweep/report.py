"""The study as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

LEAST_WIDTH = 140
"""In a narrower table numbers would lose digits; the terminal wraps the lines instead."""
_BEST = (("energy_gain_pct", "energy"), ("difference_pct", "gain − loss"), ("edp_gain_pct", "EDP"))


def table(study: Mapping[str, Any], name: str) -> Table:
    """Return per cap n, energy, time, mean power, gain, loss and metrics of `GET /api/v1/studies/power-cap`."""
    ks = [str(k) for k in study["ks"]]
    made = Table(title=f"{name} · against {study['reference']:g} W", title_justify="left", box=SIMPLE)
    titles = ["cap W", "n", "energy kJ", "time s", "mean W", "gain %", "loss %", "gain − loss", "EDP\ngain %"]
    for title in (*titles, *(f"EDS k={k}\ngain %" for k in ks)):
        made.add_column(title, justify="right", no_wrap=True)
    for cap in study["caps"]:
        figures = [cap["energy_gain_pct"], cap["performance_loss_pct"], cap["difference_pct"], cap["edp_gain_pct"]]
        made.add_row(
            f"{cap['cap']:g}",
            str(cap["n"]),
            spread(cap["energy_j"], 0.001),
            spread(cap["duration_s"]),
            spread(cap["mean_power_w"]),
            *(f"{figure:+.2f}" for figure in (*figures, *(cap["eds_gain_pct"][k] for k in ks))),
        )
    return made


def spread(found: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """Format mean and standard deviation: `680.7 ± 6.7`."""
    if found is None or found["mean"] is None:
        return "–"
    scatter = "" if found["std"] is None else f" ± {found['std'] * scale:.1f}"
    return f"{found['mean'] * scale:.1f}{scatter}"


def notes(study: Mapping[str, Any]) -> Iterator[str]:
    """Yield the best caps, how the energy was measured, and excluded jobs."""
    best = study["best"]
    figures = [(words, best[key]) for key, words in _BEST]
    figures += [(f"EDS k={k}", found) for k, found in best["eds_gain_pct"].items()]
    yield "best: " + " · ".join(f"{words} {found['value']:+.2f} % at {found['cap']:g} W" for words, found in figures)
    coverage = min(cap["coverage"] for cap in study["caps"])
    sources = ", ".join(sorted({str(cap["source"]) for cap in study["caps"]}))
    yield f"energy by {study['method']}: {study['method_why']}; from {sources}, coverage {100 * coverage:.1f} % or more"
    yield from study["warnings"]
    for job in study["excluded"]:
        yield f"excluded: {job['name']} ({job['id']}): {job['detail']}"
