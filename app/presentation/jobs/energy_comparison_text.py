"""A job's energy beside other figures of it, and its cost, as labels and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.presentation.text import THIN, apart, coverage, digits, energy, num
from app.services.jobs import number
from app.store.jobs import Job

_NAMES = (
    ("slurm", "Slurm", " by its ConsumedEnergy"),
    ("gpu_tdp", "TDP × time", " for its GPUs"),
    ("rated", "Rated × time", " for its nodes"),
)
_SAME_PCT = 0.005


def comparison_facts(job: Job, content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return other figures of the job's energy as label and text: Slurm, nameplates, an official benchmark result."""
    found = content.get("compared") or {}
    rows = [
        (label, f"{energy(reported['energy_j'])}{what}{_apart(reported['difference_pct'])}")
        for name, label, what in _NAMES
        if (reported := found.get(name))
    ]
    return rows + _official(job.tags, content)


def _apart(difference_pct: float | None) -> str:
    if difference_pct is None:
        return ""
    return f", {apart(difference_pct)}{' ours' if abs(difference_pct) >= _SAME_PCT else ''}"


def _official(tags: Mapping[str, str], content: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the official result of an imported benchmark run, and how it follows from ours."""
    joules, watts, own = (
        number(tags.get("official_energy_j")),
        number(tags.get("official_mean_w")),
        content.get("energy_j"),
    )
    if joules is None:
        return []
    mean = "" if watts is None else f", mean {num(watts, 0 if watts >= 1000 else 1)}{THIN}W"
    found = [("Official", f"{energy(joules)}{mean}, by the rule “{tags.get('official_rule', 'unknown')}”")]
    if isinstance(own, float) and joules:
        found.append(("Against it", f"ours is {apart(100 * (own / joules - 1))}"))
    if tags.get("official_why"):
        found.append(("Why", f"from ours to the official: {tags['official_why']}"))
    return found


def cost_facts(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return cost and carbon of a summary as label and text, each with its mean factor (with PUE) and its source."""
    found = []
    if cost := content.get("cost"):
        amount = cost["amount"]
        reported = None if amount is None else f"{num(amount, max(2, digits(amount, 2)))} {cost['currency']}"
        found.append(("Cost", _words(reported, cost)))
    if carbon := content.get("carbon"):
        kg = carbon["kg"]
        grams = None if kg is None else f"{num(1000 * kg)}{THIN}g" if kg < 1 else f"{num(kg, 2)}{THIN}kg"
        found.append(("Carbon", _words(grams and f"{grams} CO₂e", carbon)))
    return found


def _words(amount: str | None, reported: Mapping[str, Any]) -> str:
    pue = reported["pue_source"]
    by = f"{reported['source']}{f'; PUE: {pue}' if pue else ''}"
    if amount is None:
        return f"not known for the time of this run ({by})"
    share, mean = reported["coverage"], reported["factor"]
    part = "" if share is None or share > 1 - 1e-9 else f", known for {coverage(share)} of the energy"
    return f"{amount} at {num(mean, digits(mean, 3))} {reported['unit']} ({by}){part}"
