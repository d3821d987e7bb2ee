"""The study as a table in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.box import SIMPLE
from rich.table import Table

LEAST_WIDTH = 140
"""Narrower, a number would lose digits: a terminal wraps the line instead."""
_BEST = (("energy_gain_pct", "energy"), ("difference_pct", "gain − loss"), ("edp_gain_pct", "EDP"))


def table(study: Mapping[str, Any], name: str) -> Table:
    """Per cap: n, energy, time, mean power, gain, loss and the metrics, as `GET /api/v1/studies/power-cap` tells."""
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


def spread(told: Mapping[str, Any] | None, scale: float = 1.0) -> str:
    """`680.7 ± 6.7`."""
    if told is None or told["mean"] is None:
        return "–"
    scatter = "" if told["std"] is None else f" ± {told['std'] * scale:.1f}"
    return f"{told['mean'] * scale:.1f}{scatter}"


def notes(study: Mapping[str, Any]) -> Iterator[str]:
    """The best caps, how it was measured, and what does not count."""
    best = study["best"]
    told = [(words, best[key]) for key, words in _BEST]
    told += [(f"EDS k={k}", found) for k, found in best["eds_gain_pct"].items()]
    yield "best: " + " · ".join(f"{words} {found['value']:+.2f} % at {found['cap']:g} W" for words, found in told)
    coverage = min(cap["coverage"] for cap in study["caps"])
    sources = ", ".join(sorted({str(cap["source"]) for cap in study["caps"]}))
    yield f"energy by {study['method']}: {study['method_why']}; from {sources}, coverage {100 * coverage:.1f} % or more"
    yield from study["warnings"]
    for job in study["excluded"]:
        yield f"does not count: {job['name']} ({job['id']}): {job['detail']}"
