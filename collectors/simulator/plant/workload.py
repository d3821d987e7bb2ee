"""Published runs of the papers: wall power, run time and GPUs.

`LATIF`: I. Latif et al., "Empirical Measurements of AI Training Power Demand on a GPU-Accelerated Node", 2024 (one
8×H100 node at Brookhaven National Laboratory). `CASPART`: R. Caspart et al., "Precise Energy Consumption
Measurements of Heterogeneous Artificial Intelligence Workloads", 2022 (HoreKa at KIT, tables 2 and 3). What a paper
does not state (the power of one GPU in most runs, how often the power dips) is a plausible value.
"""

from __future__ import annotations

from dataclasses import dataclass, field

HOUR = 3600.0
KWH = 3.6e6


@dataclass(frozen=True)
class Workload:
    """One published run.

    Attributes
    ----------
    energy_j, mean_w: at the wall; energy_j / mean_w is the run time. [J], [W]
    median_w, max_w: of one-minute samples; None where the paper gives only energy and mean. [W]
    swing_w: if there is no median, amplitude of the waveform around its level. [W]
    gpus, gpu_w: number of busy GPUs (the others idle), and the power of one at the level of the run. [W]
    utilization_pct: mean load of a busy GPU.
    cycle_s, dip_s: every cycle_s the power dips for dip_s (end of an epoch, checkpoint). [s]
    burst: fraction of an inference run during which it computes; outside it loads and saves data.
    energy_std_j, power_std_w: sample standard deviation over the repeats. [J], [W]
    shortened_s: simulated run time if shorter than the published one, at the same power. [s]
    """

    key: str
    energy_j: float
    mean_w: float
    tags: dict[str, str] = field(default_factory=dict)
    median_w: float | None = None
    max_w: float | None = None
    swing_w: float = 0.0
    gpus: int = 0
    gpu_w: float = 0.0
    utilization_pct: float = 0.0
    cycle_s: float = 0.0
    dip_s: float = 0.0
    burst: tuple[float, float] | None = None
    energy_std_j: float = 0.0
    power_std_w: float = 0.0
    shortened_s: float | None = None

    @property
    def full_duration_s(self) -> float:
        """Return the published run time. [s]"""
        return self.energy_j / self.mean_w


def _latif(
    key: str, kwh: float, hours: float, median_w: float, max_w: float, gpu_w: float, load_pct: float,
    cycle_s: float = 0.0, dip_s: float = 0.0, **tags: str,
) -> Workload:  # fmt: skip
    tags = {"paper": "latif-2024", "node_type": "8xh100", "task": "training", **tags}
    return Workload(
        key, kwh * KWH, kwh / hours * 1000, tags, median_w, max_w,
        gpus=8, gpu_w=gpu_w, utilization_pct=load_pct, cycle_s=cycle_s, dip_s=dip_s,
    )  # fmt: skip


LATIF: dict[str, Workload] = {
    run.key: run
    for run in (
        _latif("resnet152-b512", 123.0, 26.3, 4680, 5020, 318, 61, 473, 20, model="resnet152", batch_size="512"),
        _latif("resnet152-b4096", 30.0, 4.8, 6260, 6480, 478, 84, 86, 10, model="resnet152", batch_size="4096"),
        _latif("llama2-13b-llava", 63.0, 8.0, 7920, 8420, 634, 93, 1800, 60, model="llama2-13b", batch_size="128"),
        _latif("gpu-cpu-burn", 4.195, 0.5, 8430, 8480, 682, 99.5, model="gpu-burn", control="true", task="stress"),
    )
}
"""ResNet-152 and Llama2-13b as published; the burn has no published run time, half an hour is assumed."""


def _caspart(
    use_case: str, task: str, node_type: str, kj: float, watt: float, std_kj: float = 0.0, std_w: float = 0.0,
    swing_w: float = 12.0, gpu_w: float = 0.0, load_pct: float = 0.0, cycle_s: float = 0.0,
    burst: tuple[float, float] | None = None, shortened_s: float | None = None, **extra: str,
) -> Workload:  # fmt: skip
    model = {"energy": "lstm", "health": "vgg19"}[use_case]
    tags = {"paper": "caspart-2022", "use_case": use_case, "task": task, "node_type": node_type, "model": model}
    if shortened_s is not None:
        tags |= {"shortened": "true", "full_duration_s": f"{kj * 1000 / watt:.0f}", "full_energy_kj": f"{kj:.1f}"}
    key = "-".join(part for part in (use_case, task, node_type, *extra.values()) if part)
    return Workload(
        key, kj * 1000, watt, tags | extra, swing_w=swing_w, gpus=1 if gpu_w else 0, gpu_w=gpu_w,
        utilization_pct=load_pct, cycle_s=cycle_s, dip_s=8.0 if cycle_s else 0.0, burst=burst,
        energy_std_j=std_kj * 1000, power_std_w=std_w, shortened_s=shortened_s,
    )  # fmt: skip


_E, _H, _LEARN, _PREDICT = "energy", "health", "training", "prediction"
CASPART: dict[str, Workload] = {
    run.key: run
    for run in (
        _caspart(_E, _LEARN, "gpu", 680.7, 665.8, 6.7, 9.7, 20, 85, 38, cycle_s=34),
        _caspart(_E, _LEARN, "cpu-mix", 4856.0, 644.4, 43.6, 9.9, cycle_s=251),
        _caspart(_E, _LEARN, "cpu-only", 2821.5, 374.1, 70.8, 11.0, cycle_s=251),
        _caspart(_E, _PREDICT, "gpu", 156.9, 606.6, 3.4, 8.8, 60, 88, 12, burst=(0.05, 0.30)),
        _caspart(_E, _PREDICT, "cpu-mix", 320.2, 621.5, 5.9, 7.9),
        _caspart(_E, _PREDICT, "cpu-only", 189.5, 370.6, 4.8, 8.7),
        _caspart(_E, "pipeline", "jupyter", 701.9, 671.0, 0, 0, 20, 85, 36, cycle_s=34),
        _caspart(_H, _LEARN, "gpu", 761.7, 835.6, 17.0, 6.8, 25, 301, 88, cycle_s=36.4),
        _caspart(_H, _LEARN, "cpu-mix", 109_477.1, 651.7, 1104.9, 7.4, cycle_s=1200, shortened_s=2 * HOUR),
        _caspart(_H, _LEARN, "cpu-only", 65_796.7, 392.1, 4899.4, 28.8, cycle_s=1200, shortened_s=2 * HOUR),
        _caspart(_H, _PREDICT, "gpu", 46.7, 549.5, 2.0, 14.3, 140, 180, 22, burst=(0.70, 0.97)),
        _caspart(_H, _PREDICT, "cpu-mix", 367.8, 644.5, 10.2, 17.1),
        _caspart(_H, _PREDICT, "cpu-only", 213.5, 377.4, 8.6, 15.6),
        _caspart(_H, "pipeline", "jupyter", 783.6, 811.2, 0, 0, 25, 290, 84, cycle_s=36.4),
        _caspart(_H, _LEARN, "gpu", 7723.958, 835.4, 0, 0, 25, 301, 88, cycle_s=36.4, epochs="250"),
    )
}
"""Tables 2 and 3 and the full Health training (250 epochs); the 46-hour CPU runs are shortened to two hours."""
