"""Writes docs/mlperf.md, official against measured: `python -m tests.conformance.mlperf.mlperf_table`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from app.domain.mlperf.comparison import OfficialComparison
from tests.conformance.mlperf.mlperf import DATA, MISSING, Imported, import_all, table
from tests.conformance.mlperf.mlperf_systems import STREAMS, TRAININGS, section
from tests.paths import DOCS

PAGE = DOCS / "mlperf.md"
INTRODUCTION = """\
# MLPerf results, official and measured

Every figure below comes from running Wattline on the published raw power logs: each run is imported with
`wattline import --job`, and its energy is read back from the job's summary. The page is written by
`python -m tests.conformance.mlperf.mlperf_table`; the same runs are tested in `tests/conformance`.

**Measured** is Wattline's own energy: ∫p dt over the part of the run that the meter covered, with that coverage. A
stretch longer than three sample intervals without a reading is not covered and never filled in. **Official** is the
rule of the benchmark, shown beside it as a named comparison (`official_*` tags of the job); it does not change the
measured one.
"""
INFERENCE = """
## Inference

The official rule takes the plain mean of the samples inside the window that are above 0 W, times its length.
"""
TRAINING = """
## Training

The official rule takes each node log's mean over the log's *own* window (a reading is charged for the time before it,
gaps and zeros included), times the conversion efficiency, times the length of the run, and adds a constant estimate for
the interconnect. It is reproduced here to the joule. The columns after *measured* lead from the measured energy to the
official one, in % of the official one, as the mean over the runs.
"""
EVERY_RUN = """
### Every training run

"""


def main() -> None:
    """Import everything and write the page."""
    if not DATA.is_dir():
        sys.exit(MISSING)
    inference, training = import_all("inference", ask=[STREAMS]), import_all("training", ask=[TRAININGS])
    systems = section(inference.answers[STREAMS], training.answers[TRAININGS])
    text = INTRODUCTION + INFERENCE + _inference(inference) + TRAINING + _training(training) + systems
    PAGE.write_text(text, encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


def _inference(imported: Imported) -> str:
    rows, differences = [], {}
    for official in table("inference_expected.csv"):
        summary = imported.jobs[official["run_id"]]["summary"]
        energy, mean = float(official["energy_J_avg_x_window"]), float(official["avg_w"])
        off = 100 * (summary["energy_j"] / energy - 1)
        differences[official["run_id"]] = (off, 100 * (summary["power_w"]["mean"] / mean - 1), summary["coverage"])
        rows.append(
            (
                f"{official['round']} {official['submitter']}",
                official["system"],
                f"{official['benchmark']} {official['scenario_folder']}",
                f"{energy / 1000:,.3f}",
                f"{summary['energy_j'] / 1000:,.3f}",
                f"{off:+.3f}",
                f"{mean:,.2f}",
                f"{summary['power_w']['mean']:,.2f}",
                f"{100 * summary['coverage']:.2f}",
            )
        )
    header = (
        "round",
        "system",
        "benchmark",
        "official kJ",
        "measured kJ",
        "%",
        "official W",
        "measured W",
        "coverage %",
    )
    return _extremes(differences) + _markdown(header, rows, text=3)


def _extremes(differences: dict[str, tuple[float, float, float]]) -> str:
    full = {run: d for run, d in differences.items() if d[2] > 0.999}
    out = [run for run in differences if run not in full]
    low, high = min(full, key=lambda r: full[r][0]), max(full, key=lambda r: full[r][0])
    means = [d[1] for d in differences.values()]
    text = (
        f"{len(full)} of {len(differences)} runs are covered in full; their energies differ from the official ones by "
        f"{full[low][0]:+.3f} % ({low}) to {full[high][0]:+.3f} % ({high}). "
        f"Mean power differs by {min(means):+.3f} to {max(means):+.3f} % over all of them."
    )
    for run in out:
        energy, mean, coverage = differences[run]
        text += (
            f" The meter of {run} dropped out: {100 * coverage:.2f} % of its window is covered, so its energy is "
            f"{energy:+.3f} % of the official one while its mean power is {mean:+.3f} %."
        )
    return f"\n{text}\n\n"


def _training(imported: Imported) -> str:
    groups: dict[str, list[str]] = defaultdict(list)
    for key in imported.jobs:
        groups[key.partition("/")[0]].append(key)
    rows = [
        _benchmark(row, groups[row["bench_id"]], imported)
        for row in table("training_scores_expected.csv")
        if row["bench_id"] in groups
    ]
    header = (
        "round", "system", "benchmark", "runs × nodes", "official MJ a run", "measured MJ a run", "coverage %",
        "not covered", "log's window", "rectangles", "efficiency", "interconnect",
    )  # fmt: skip
    return "\n" + _markdown(header, rows, text=4) + EVERY_RUN + _every_run(imported)


def _every_run(imported: Imported) -> str:
    official = {
        f"{row['bench_id']}/{row['run']}": float(row["energy_J"]) for row in table("training_runs_expected.csv")
    }
    rows, worst = [], 0.0
    for key, job in imported.jobs.items():
        summary, by_rule = job["summary"], float(job["tags"]["official_energy_j"])
        worst = max(worst, abs(by_rule / official[key] - 1))
        rows.append(
            (
                key.partition("__")[2].replace("/result_", " "),
                f"{official[key] / 1e6:,.6f}",
                f"{by_rule / 1e6:,.6f}",
                f"{summary['energy_j'] / 1e6:,.6f}",
                f"{100 * (summary['energy_j'] / official[key] - 1):+.2f}",
                f"{100 * summary['coverage']:.2f}",
            )
        )
    header = ("run", "official MJ", "by the rule here MJ", "measured MJ", "%", "coverage %")
    return f"{len(rows)} runs; the rule here is at most {worst:.0e} off.\n\n" + _markdown(header, rows, text=1)


def _benchmark(row: dict[str, str], keys: Sequence[str], imported: Imported) -> tuple[str, ...]:
    jobs = [imported.jobs[key] for key in keys]
    comparisons = [c for key in keys if (c := imported.registered[key].comparison)]
    measured = _mean(job["summary"]["energy_j"] for job in jobs)
    official = _mean(c.official_energy_j for c in comparisons)
    return (
        f"{row['round']} {row['submitter']}",
        row["system"],
        row["benchmark"],
        f"{len(keys)} × {row['nodes']}",
        f"{official / 1e6:,.3f}",
        f"{measured / 1e6:,.3f}",
        _span([100 * job["summary"]["coverage"] for job in jobs]),
        *(_share(comparisons, i) for i in range(5)),
    )


def _share(comparisons: Sequence[OfficialComparison], step: int) -> str:
    return f"{_mean(100 * c.steps[step].joules / c.official_energy_j for c in comparisons):+.2f}"


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found)


def _span(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} … {high}"


def _markdown(header: Sequence[str], rows: Iterable[Sequence[Any]], text: int) -> str:
    lines = [header, ["---" if i < text else "---:" for i in range(len(header))], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    main()
