"""The page put together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.papers import bnl, gdansk, kit
from tests.papers.asked import Server

FIGURES = "figures"
_HEAD = """\
# Three papers, published and obtained

This page is written by `wattline papers`: it builds the machines of three papers as a simulated plant, measures
them the way Wattline measures real ones, registers every run as a job, and asks the server over HTTP. Published
numbers stand beside what came back, with the difference.

**A simulated plant proves the path from the meter to the table, not the physics.** The plant draws what the papers
published: energy, mean, median, maximum, spread and run time of each run are its input. What the comparison shows
is that nothing on the way changes them: the agent on its socket, the driver's decoding, resolution and sampling of
the meter, delivery, storage, the sum over outlets and branches, the energy of a window whose ends fall between
readings, statistics by time, groups of repeats, ratios, metrics and capacity. What the papers did not print (the
texture within a run, run times at most caps, idle powers) is ours. Real measurements, the published raw power logs of
real nodes as the same kind of studies, are in [mlperf.md](mlperf.md#systems-compared).
"""
_KIT = """
## 1 HoreKa: GPU, CPU-mix and CPU-only

R. Caspart et al., "Precise Energy Consumption Measurements of Heterogeneous Artificial Intelligence Workloads",
2022. Five repeats, one on each of five nodes with four A100 and of five without, read at a Modbus branch-circuit
meter (two branches a GPU node) every 5 s in runs below half an hour, else every 10 s; their GPUs by an HTTP
exporter. Mean ± sample standard deviation (ddof = 1). Jupyter and the 250 epochs are single runs. A run's time follows
from its own energy and power, so the mean of five times is not the quotient of the means.

"""
_PROFILES = """
The profiles of figures 3 and 4, drawn from the job curves: all repeats over the *fraction* of their run time.

"""
_GDANSK = """
## 2 Gdańsk: power caps

G. Koszczał et al., "Performance and Energy Aware Training of a Deep Neural Network in a Multi-GPU Environment with
Power Capping", 2023.

What follows from the published run times (85.6 s at 260 W, 93.6 s at 170 W) and the published difference of 15.03
points alone, by our definitions of the metrics:

"""
_SWEEP = """
And from a sweep of the simulated node ([sweep.md](sweep.md)): 17 caps, ten runs at each with eight GPUs and three with
fewer, the whole node's meter ten times a second. The published points fix the plant at 160, 170, 200 and 260 W; between
them it interpolates.

"""
_FIGURES = """
The same kind of figures as 2 to 7, **simulated**:

"""
_BNL = """
## 3 Brookhaven: one 8×H100 node and its rack

I. Latif et al., "Empirical Measurements of AI Training Power Demand on a GPU-Accelerated Node", 2024. Six outlets a
node on 208 V PDUs over SNMP, one-minute samples; each workload once on each of five nodes. The control run is read
through the sockets, the others as the same drivers would have decoded them. The paper prints "8 h" and no energy
for Llama: 63 kWh follow from 8 h × 7.92 kW.

"""
_ROOM = """
The rack: 70 kW, five such nodes. Bases are never mixed: rated beside rated, observed beside observed.

"""


def sections(server: Server, from_ms: int, to_ms: int) -> dict[str, str]:
    """The generated tables by place."""
    return {
        "kit": kit.section(server),
        "published": gdansk.from_published(),
        "table 1": gdansk.table_1(server),
        "runs": bnl.runs(server),
        "room": bnl.room(server, from_ms, to_ms),
    }


def figures(server: Server) -> Mapping[str, str]:
    """Every figure by file name."""
    return {**kit.figures(server), **gdansk.figures(server)}


def page(server: Server, from_ms: int, to_ms: int, how: str) -> str:
    """The whole page. `how` says how the readings came, in a sentence."""
    told = sections(server, from_ms, to_ms)
    drawn = {part: [name for name in figures_named if name.startswith(part)] for part in ("kit", "gdansk")}
    return "".join(
        [
            _HEAD, f"\n{how}\n",
            _KIT, told["kit"], _PROFILES, _images(drawn["kit"]),
            _GDANSK, told["published"], _SWEEP, told["table 1"], "\n", gdansk.idle_gpus(server),
            _FIGURES, _images(drawn["gdansk"]),
            _BNL, told["runs"], _ROOM, told["room"],
        ]
    )  # fmt: skip


figures_named = (
    *(f"kit-{use_case}-{task}.svg" for use_case, task in kit.PROFILES),
    "gdansk-2-energy.svg", "gdansk-3-time.svg", "gdansk-4-edp.svg", "gdansk-5-eds.svg", "gdansk-6-difference.svg",
    "gdansk-7-times.svg",
)  # fmt: skip


def _images(names: list[str]) -> str:
    return "\n".join(f"![{name.removesuffix('.svg').replace('-', ' ')}]({FIGURES}/{name})" for name in names) + "\n"


def write(text: str, drawn: Mapping[str, str], to: Path) -> None:
    """The page, and its figures in a folder beside it."""
    folder = to.parent / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    to.write_text(text, encoding="utf-8")
    for name, svg in drawn.items():
        (folder / name).write_text(svg, encoding="utf-8")
