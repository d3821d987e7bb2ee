"""The simulated node under a meter: `wattline sweep --simulated` on a machine without a GPU.

It has its own clock: a run takes no real time, and its readings (10 per second, as the published meter) have times in
the past. The command is not executed; `rtx_node` gives its run time and power.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from collectors.contract import Layout, Quantity, Series
from collectors.errors import ConfigError, ServerRefused
from collectors.power_cap import Board, check_range
from collectors.simulator.api_client import ApiClient
from collectors.simulator.plant import Floats, Millis
from collectors.simulator.rtx_node import GPUS, IDLE_W, MAX_W, MIN_W, run_time_s, training

NODE, METER, MODEL = "rtx-simulated", "wt310e-simulated", "rtx6000-8-simulated"
INTERVAL_MS = 100
_STEP_W = 0.1
_EARLY_MS = 946_684_800_000  # 2000: before any simulated run
_CONFLICT = 409
_LONGEST_RUN = 1.02


class SimulatedBench:
    """The node from `start_ms` on, with `gpus` of its eight GPUs busy. API calls run on `runner`.

    `passed` is called with the simulated time before readings up to that time are delivered.
    """

    def __init__(
        self,
        client: ApiClient,
        runner: asyncio.Runner,
        start_ms: int,
        gpus: int = GPUS,
        passed: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.node: Mapping[str, Any] = {"node": NODE, "gpus": list(range(gpus)), "exclusive": True}
        self.tags = {"gpus": str(gpus), "simulated": "true"}
        self._gpus = gpus
        self._passed = passed
        self._client, self._runner = client, runner
        self._now_ms = start_ms
        self._read_to_ms = start_ms
        self._cap_w = MAX_W
        self._layout = meter_layout()

    def now_ms(self) -> int:
        """Return the simulated time."""
        return self._now_ms

    def set(self, cap_w: float) -> None:
        """Cap the GPUs [W]; raises ConfigError if out of range."""
        check_range([cap_w], boards())
        self._cap_w = cap_w

    def lost(self, _cap_w: float) -> str | None:
        """Return None: a simulated cap never changes."""

    def note_job(self, _job: str | None) -> None:
        """Do nothing: a simulated sweep leaves nothing to restore."""

    def execute(self, run: Any) -> int:  # noqa: ANN401 -- any object with a `repeat`
        """Advance the clock by the run time and deliver the meter readings."""
        made = training(self._gpus, self._cap_w, run.repeat)
        start_ms, self._now_ms = self._now_ms, self._now_ms + round(made.duration_s * 1000)
        t_ms = self._times(self._now_ms)
        within = (t_ms >= start_ms) & (t_ms <= self._now_ms)
        w = np.where(within, made.power((t_ms - start_ms) / 1000.0), IDLE_W)
        self._deliver(t_ms, w)
        return 0

    def rest(self, seconds: float) -> None:
        """Advance the clock with all GPUs idle."""
        self._now_ms += round(seconds * 1000)
        t_ms = self._times(self._now_ms)
        self._deliver(t_ms, np.full(len(t_ms), IDLE_W))

    def _times(self, until_ms: int) -> Millis:
        """Return the reading times: every 100 ms since the last reading, before `until_ms`."""
        first = -(-self._read_to_ms // INTERVAL_MS) * INTERVAL_MS
        self._read_to_ms = until_ms
        return np.arange(first, until_ms, INTERVAL_MS, dtype=np.int64)

    def _deliver(self, t_ms: Millis, w: Floats) -> None:
        self._passed(self._now_ms)
        if len(t_ms):
            values = np.round(w / _STEP_W)[:, None] * _STEP_W
            self._runner.run(self._client.ingest(self._layout, t_ms, values))


def boards() -> list[Board]:
    """Return the GPUs of the simulated node."""
    return [Board(i, f"GPU-simulated-{i}", "Quadro RTX 6000, simulated", MAX_W, MIN_W, MAX_W) for i in range(GPUS)]


def meter_layout() -> Layout:
    """Return the layout of the Yokogawa WT310E of the paper: 0.1 % of reading, 10 readings per second."""
    series = Series("total", Quantity.POWER, resolution=_STEP_W, accuracy_pct=0.1)
    return Layout(METER, "main", INTERVAL_MS, (series,), meter="Yokogawa WT310E, simulated")


def check_gpus(gpus: int) -> int:
    """Return `gpus`; raises ConfigError if the paper has no run time for it."""
    if gpus not in (1, 2, 4, 8):
        raise ConfigError(f"the simulated node works with 1, 2, 4 or 8 GPUs, not {gpus}", "--gpu 0,1,2,3 or --gpu all")
    return gpus


def span_ms(caps_w: Sequence[float], gpus: int, cooldown_s: float) -> int:
    """Return the longest simulated time that one run per entry of `caps_w` can take. [ms]"""
    check_range(caps_w, boards())
    return math.ceil(1000 * sum(_LONGEST_RUN * run_time_s(gpus, cap_w) + cooldown_s + 1 for cap_w in caps_w))


async def place(client: ApiClient, now_ms: int, span: int) -> int:
    """Declare the node and its meter; return the start time for a sweep of `span`, before all stored readings. [ms]"""
    await declare(client)
    first = await client.span(METER)
    return (now_ms if first is None else min(now_ms, first[0])) - span - INTERVAL_MS


async def declare(client: ApiClient) -> None:
    """Add the node and its meter to the facility if missing."""
    label = "8× Quadro RTX 6000 (simulated)"
    model = {"key": MODEL, "label": label, "rated_w": 4000.0, "idle_w": IDLE_W, "gpus": GPUS}
    node = {"key": NODE, "model": MODEL, "label": label, "feeds": [f"{METER}/total"]}
    await _declare(client, "devices", {"key": METER, "kind": "meter", "label": "WT310E (simulated)"})
    await _declare(client, "models", model)
    await _declare(client, "nodes", node)


async def _declare(client: ApiClient, kind: str, body: Mapping[str, object]) -> None:
    try:
        await client.create(kind, body, _EARLY_MS)
    except ServerRefused as error:
        if error.status != _CONFLICT:
            raise
