"""Assemble and write the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.papers import bnl, gdansk, kit
from tests.papers.queries import Server

FIGURES = "figures"
_HEAD = """\
# Three papers, published and obtained

This page is written by `make papers`: it simulates the machines of three papers, measures them the way Wattline
measures real ones, registers every run as a job, and queries the server over HTTP. The tables show the published
numbers, the obtained numbers and the difference.

**A simulated plant proves the path from the meter to the table, not the physics.** The published energy,
mean, median, maximum, spread and run time of each run are the input of the plant. The comparison shows that no step
in between changes them: the agent on its socket, the driver's decoding, the meter's resolution and sampling,
delivery, storage, the sum over outlets and branches, the energy of a window whose ends fall between readings,
statistics over time, groups of repeats, ratios, metrics and capacity. What the papers did not print (the power
waveform within a run, the run times at most caps, idle powers) is our assumption. For studies of real measurements,
made from the published raw power logs of real nodes, see [mlperf.md](mlperf.md#systems-compared).
"""
_KIT = """
## 1 HoreKa: GPU, CPU-mix and CPU-only

R. Caspart et al., "Precise Energy Consumption Measurements of Heterogeneous Artificial Intelligence Workloads",
2022. Five repeats, each on its own pair of nodes: one with four A100, one without GPUs. Power is read from a Modbus
branch-circuit meter (two branches per GPU node) every 5 s in runs shorter than half an hour, otherwise every 10 s; GPUs
are read from an HTTP exporter. Values are mean ± sample standard deviation (ddof = 1). Jupyter and the 250 epochs are
single runs. The duration of each run follows from its own energy and power, so the mean of the five durations is not
the quotient of the means.

"""
_PROFILES = """
Figures 3 and 4, drawn from the job curves: all repeats over the *fraction* of their run time.

"""
_GDANSK = """
## 2 Gdańsk: power caps

G. Koszczał et al., "Performance and Energy Aware Training of a Deep Neural Network in a Multi-GPU Environment with
Power Capping", 2023.

By our definitions of the metrics, the published run times (85.6 s at 260 W, 93.6 s at 170 W) and the published
difference of 15.03 points alone give:

"""
_SWEEP = """
A sweep of the simulated node ([sweep.md](sweep.md)) with 17 caps, ten runs per cap with eight GPUs and three with
fewer, and the meter of the whole node read ten times per second, gives the tables below. The published values set the
plant at 160, 170, 200 and 260 W; values in between are interpolated.

"""
_FIGURES = """
Figures 2 to 7, **simulated**:

"""
_BNL = """
## 3 Brookhaven: one 8×H100 node and its rack

I. Latif et al., "Empirical Measurements of AI Training Power Demand on a GPU-Accelerated Node", 2024. Six outlets per
node on 208 V PDUs over SNMP, one-minute samples; each workload runs once on each of five nodes. The control run is
polled over sockets; the readings of the other runs are ingested as the same drivers would have decoded them. For Llama
the paper prints "8 h" and no energy: 63 kWh is 8 h × 7.92 kW.

"""
_ROOM = """
The rack: 70 kW, five such nodes. Rated power is compared only with rated power, observed only with observed.

"""


def sections(server: Server, from_ms: int, to_ms: int) -> dict[str, str]:
    """Return the generated tables by section."""
    return {
        "kit": kit.section(server),
        "published": gdansk.from_published(),
        "table 1": gdansk.table_1(server),
        "runs": bnl.runs(server),
        "room": bnl.room(server, from_ms, to_ms),
    }


def figures(server: Server) -> Mapping[str, str]:
    """Return every figure by file name."""
    return {**kit.figures(server), **gdansk.figures(server)}


def page(server: Server, from_ms: int, to_ms: int, how: str) -> str:
    """Return the whole page. `how` states how the readings were obtained."""
    tables = sections(server, from_ms, to_ms)
    drawn = {part: [name for name in figures_named if name.startswith(part)] for part in ("kit", "gdansk")}
    return "".join(
        [
            _HEAD, f"\n{how}\n",
            _KIT, tables["kit"], _PROFILES, _images(drawn["kit"]),
            _GDANSK, tables["published"], _SWEEP, tables["table 1"], "\n", gdansk.idle_gpus(server),
            _FIGURES, _images(drawn["gdansk"]),
            _BNL, tables["runs"], _ROOM, tables["room"],
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
    """Write the page, and its figures to a folder beside it."""
    folder = to.parent / FIGURES
    folder.mkdir(parents=True, exist_ok=True)
    to.write_text(text, encoding="utf-8")
    for name, svg in drawn.items():
        (folder / name).write_text(svg, encoding="utf-8")
