"""Paper 1: two use cases on GPU, CPU-mix and CPU-only nodes of HoreKa."""

from __future__ import annotations

from collections.abc import Mapping

from tests.papers.drawing import Line, chart
from tests.papers.published import KIT, KIT_IDLE_GPU_W, KitRow
from tests.papers.queries import Result, Server
from tests.papers.text import clock, difference, number, spread, table

_TITLES = {"energy": "Energy (LSTM), table 2", "health": "Health (VGG), table 3"}
_HEAD = (
    "run", "n", "published kJ", "obtained kJ", "off", "published W", "obtained W", "off", "published time",
    "obtained time",
)  # fmt: skip
_WORDS = {
    "cpu-mix": "CPU-mix", "cpu-only": "CPU-only", "gpu": "GPU", "jupyter": "Jupyter", "gpu-250": "GPU, 250 epochs",
}  # fmt: skip
_RATIOS = (
    ("Energy, training: energy of CPU-mix / CPU-only", "1.7", "energy_j", "energy", "training", "cpu-mix", "cpu-only"),
    ("Energy, training: speed-up by the GPU", "7.4", "duration_s", "energy", "training", "cpu-mix", "gpu"),
    ("Health, training: energy of CPU-only / GPU", "86", "energy_j", "health", "training", "cpu-only", "gpu"),
    ("Health, prediction: energy of CPU-only / GPU", "4.5", "energy_j", "health", "prediction", "cpu-only", "gpu"),
)
"""Label, published value, measure, use case, task, node type of the numerator and of the denominator."""
PROFILES = (("energy", "training"), ("energy", "prediction"), ("health", "training"), ("health", "prediction"))


def section(server: Server) -> str:
    """Return tables 2 and 3, the ratios and the power of an idle GPU."""
    found = server.groups(["name"], paper="caspart-2022")
    text = ""
    for use_case, title in _TITLES.items():
        rows = [_row(row, found[row.job]) for row in KIT if row.use_case == use_case]
        text += f"### {title}\n\n{table(_HEAD, rows)}\n"
    return text + "### Ratios and idle GPUs\n\n" + table(("", "published", "obtained"), _ratios(server))


def _row(row: KitRow, group: Result) -> list[str]:
    kj, watt, seconds = group["energy_j"], group["mean_power_w"], group["duration_s"]["mean"]
    std = None if kj["std"] is None else kj["std"] / 1000
    return [
        f"{row.task}, {_WORDS[row.node_type]}",
        str(group["n"]),
        spread(row.kj, row.kj_std),
        spread(kj["mean"] / 1000, std),
        difference(kj["mean"] / 1000, row.kj),
        "–" if row.watt is None else spread(row.watt, row.watt_std),
        spread(watt["mean"], watt["std"]),
        "–" if row.watt is None else difference(watt["mean"], row.watt),
        row.run_time,
        clock(seconds),
    ]


def _ratios(server: Server) -> list[list[str]]:
    rows = []
    for words, published, measure, use_case, task, kind, over in _RATIOS:
        name = f"{use_case}-{task}"  # by name: the run of 250 epochs has the same node type
        found = server.groups(["name"], f"{name}-{over}", paper="caspart-2022", use_case=use_case, task=task)
        rows.append([words, published, number(found[f"{name}-{kind}"]["ratio"][measure]["value"], 2)])
    return [*rows, ["an idle A100, while the CPUs work [W]", f"≈ {KIT_IDLE_GPU_W:g}", number(_idle_gpu_w(server), 1)]]


def _idle_gpu_w(server: Server) -> float:
    found = [server.job(job["id"])["summary"]["gpu"] for job in server.jobs("energy-training-cpu-mix")]
    watts = [gpu["mean_w"] for gpus in found for gpu in gpus["by_gpu"]]
    return float(sum(watts) / len(watts))


def figures(server: Server) -> Mapping[str, str]:
    """Return figures 3 and 4 by file name: power of a GPU over the fraction of the run, all repeats."""
    made = {}
    for use_case, task in PROFILES:
        lines = []
        for kind in ("gpu", "cpu-mix"):
            for job in server.jobs(f"{use_case}-{task}-{kind}"):
                gpu = (job["nodes"][0]["gpus"] or [0])[0]
                lines.append(Line(f"{_WORDS[kind]} (5 runs)", *server.gpu_profile(job, gpu)))
        title = f"{use_case.capitalize()}, {task}: power of one GPU by NVML, simulated"
        made[f"kit-{use_case}-{task}.svg"] = chart(title, "fraction of the run time", "W", lines)
    return made
