"""Published numbers of the papers.

Caspart: R. Caspart et al., 2022, tables 2 and 3 and text. Koszczal: G. Koszczał et al., 2023,
table 1, figure 7 and text. Latif: I. Latif et al., 2024, text and figures 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class KitRow:
    """A row of table 2 or 3: energy [kJ] and power [W] as mean ± std of five runs (std 0: one run), run time."""

    use_case: str
    task: str
    node_type: str
    kj: float
    kj_std: float
    watt: float | None
    watt_std: float
    run_time: str

    @property
    def job(self) -> str:
        """Return the name of its jobs."""
        return f"{self.use_case}-{self.task}-{self.node_type}"

    @property
    def seconds(self) -> int:
        """Return the run time. [s]"""
        days, dash, clock = self.run_time.rpartition("-")
        hours, minutes, seconds = (int(part) for part in clock.split(":"))
        return (int(days) if dash else 0) * 86_400 + hours * 3600 + minutes * 60 + seconds


_E, _H = "energy", "health"
KIT = (
    KitRow(_E, "training", "gpu", 680.7, 6.7, 665.8, 9.7, "00:17:02"),
    KitRow(_E, "training", "cpu-mix", 4856.0, 43.6, 644.4, 9.9, "02:05:37"),
    KitRow(_E, "training", "cpu-only", 2821.5, 70.8, 374.1, 11.0, "02:05:42"),
    KitRow(_E, "prediction", "gpu", 156.9, 3.4, 606.6, 8.8, "00:04:18"),
    KitRow(_E, "prediction", "cpu-mix", 320.2, 5.9, 621.5, 7.9, "00:08:35"),
    KitRow(_E, "prediction", "cpu-only", 189.5, 4.8, 370.6, 8.7, "00:08:31"),
    KitRow(_E, "pipeline", "jupyter", 701.9, 0.0, None, 0.0, "00:17:26"),
    KitRow(_H, "training", "gpu", 761.7, 17.0, 835.6, 6.8, "00:15:11"),
    KitRow(_H, "training", "cpu-mix", 109_477.1, 1104.9, 651.7, 7.4, "1-22:39:43"),
    KitRow(_H, "training", "cpu-only", 65_796.7, 4899.4, 392.1, 28.8, "1-22:36:31"),
    KitRow(_H, "prediction", "gpu", 46.7, 2.0, 549.5, 14.3, "00:01:25"),
    KitRow(_H, "prediction", "cpu-mix", 367.8, 10.2, 644.5, 17.1, "00:09:30"),
    KitRow(_H, "prediction", "cpu-only", 213.5, 8.6, 377.4, 15.6, "00:09:25"),
    KitRow(_H, "pipeline", "jupyter", 783.6, 0.0, None, 0.0, "00:16:06"),
    KitRow(_H, "training", "gpu-250", 7723.958, 0.0, 835.4, 0.0, "02:34:00"),
)
KIT_IDLE_GPU_W = 55.0

TABLE_1 = (
    ("energy gain", "energy_gain_pct", 25.39, 160),
    ("energy gain − performance loss", "difference_pct", 15.03, 170),
    ("EDP", "edp_gain_pct", 17.32, 170),
    ("EDS, k = 1.5", "1.5", 2.26, 200),
    ("EDS, k = 2.0", "2.0", 7.52, 170),
)
"""Metric, its key in the study's `best`, gain [% or points], cap [W]."""
BEST_GAINS = {1: "3", 2: "5.5", 4: "11.5", 8: "25.39"}
"""Busy GPUs → energy gain at the best cap, as printed (1 to 4: `approx.`). [%]"""
TIMES = {(1, 170): 477.0, (8, 260): 85.6, (8, 170): 93.6}
"""(GPUs, cap [W]) → run time. [s]"""
SPEED_UPS = {(4, 260): 3.3, (4, 170): 3.3, (8, 260): 4.95, (8, 170): 5.1}

BNL = (
    ("gpu-cpu-burn", "GPU burn + stress-ng (control)", 8.43, 8.48, None),
    ("resnet152-b4096", "ResNet-152, batch 4096", 6.26, 6.48, 30.0),
    ("llama2-13b-llava", "Llama2-13b (LLaVA)", 7.92, 8.42, None),
    ("resnet152-b512", "ResNet-152, batch 512", 4.68, 5.02, 123.0),
)
"""Name of its jobs, label, median and maximum of one-minute samples [kW], energy [kWh]."""
BNL_RATED_KW, BNL_CONTROL_KW = 10.2, 8.43
