"""The result of a run, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_METHODS = {
    "integral": "power integrated over time",
    "counter": "energy registers",
    "mixed": "energy registers and integrated power",
}
_POWER = {"derived": ", power derived from registers", "mixed": ", power partly derived from registers"}
_NO_PART = "other jobs ran on its node: give its part of the node with --gpus and --cores"


@dataclass(frozen=True)
class RunResult:
    """What became of a run.

    Attributes
    ----------
    status: exit status of the command. job: id of its job, None if it is not registered yet.
    summary: figures of the job; empty if they are unknown. problem: why. kept: where the run is kept until then.
    """

    status: int
    url: str
    start: str
    end: str
    job: str | None = None
    summary: Mapping[str, Any] | None = None
    problem: str = ""
    kept: str = ""

    @property
    def page(self) -> str | None:
        """The page of the job."""
        return None if self.job is None else f"{self.url.rstrip('/')}/jobs/{self.job}"

    def text(self) -> list[str]:
        """Return the result as lines."""
        if self.job is None:
            where = f"; it is kept in {self.kept} and sent by the next `wattline run` or by `wattline spool`"
            return [f"this run is not registered yet: {self.problem}{where if self.kept else ''}"]
        lines = [f"job {self.job}: {_energy(self.summary or {}) or self.problem or 'no meter covered this run'}"]
        lines += _basis(self.summary or {})
        lines += [f"{self.problem}; its end is kept in {self.kept}"] if self.kept else []
        return [*lines, str(self.page)]

    def json(self) -> str:
        """Return the result as one line of JSON."""
        summary = self.summary or {}
        power = summary.get("power_w") or {}
        same = (
            "energy_j", "energy_kwh", "uncertainty_pct", "k", "coverage", "source", "method", "power_basis", "caliber",
            "shared", "duration_s",
        )  # fmt: skip
        found = {
            "status": self.status,
            "job": self.job,
            "page": self.page,
            "start": self.start,
            "end": self.end,
            **{name: summary.get(name) for name in same},
            "mean_w": power.get("mean"),
            "max_w": power.get("max"),
            "j_per": {unit: figures.get("j_per") for unit, figures in (summary.get("per") or {}).items()},
            "problem": self.problem or None,
            "kept": self.kept or None,
        }
        return json.dumps(found, ensure_ascii=False)


def _energy(summary: Mapping[str, Any]) -> str:
    if not summary.get("coverage"):
        return _NO_PART if summary.get("shared") else ""
    power = summary["power_w"]
    spread = summary.get("uncertainty_pct")
    spread_text = "± unknown" if spread is None else f"± {spread:.2g} % (k = {summary.get('k', 2)})"
    return (
        f"{summary['energy_kwh']:.4g} kWh {spread_text} in {summary['duration_s']:.0f} s, "
        f"mean {_watts(power['mean'])}, max {_watts(power['max'])}, coverage {100 * summary['coverage']:.1f} %"
    )


def _watts(power_w: float | None) -> str:
    return "unknown" if power_w is None else f"{power_w:.0f} W"


def _basis(summary: Mapping[str, Any]) -> list[str]:
    if not summary.get("coverage"):
        return []
    method = str(summary.get("method"))
    parts = [f"basis: {summary.get('source')}, {_METHODS.get(method, method)}"]
    parts += [_POWER.get(str(summary.get("power_basis")), "")]
    parts += [", its share of a shared node"] if summary.get("shared") else []
    parts += [f", {summary['caliber']}"] if summary.get("caliber") not in (None, "actual") else []
    per = {unit: figures["j_per"] for unit, figures in (summary.get("per") or {}).items()}
    parts += [f", {joules:.4g} J per {unit}" for unit, joules in per.items() if joules is not None]
    return ["".join(parts)]
