"""Where a sweep runs its command: this machine, or the simulated node."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from app.cli.sweep.plan import SweepRun
from collectors.contract import wall_clock_ms

_NOT_FOUND, _NOT_RUN = 127, 126
"""What a shell answers for a command that does not exist, or that may not be run."""


class Bench(Protocol):
    """A node whose GPUs can be capped."""

    @property
    def node(self) -> Mapping[str, Any]:
        """Its part in a job, as `POST /api/v1/jobs` takes it."""

    @property
    def tags(self) -> Mapping[str, str]:
        """What every run on it is tagged with."""

    def now_ms(self) -> int:
        """Its clock."""

    def set(self, cap_w: float) -> None:
        """Cap the GPUs. [W]"""

    def lost(self, cap_w: float) -> str | None:
        """What says that the cap is not in force any more; None while it is."""

    def note_job(self, job: str | None) -> None:
        """Which job goes on, should this process die."""

    def execute(self, run: SweepRun) -> int:
        """Run the command once; its exit status."""

    def rest(self, seconds: float) -> None:
        """Let the GPUs cool."""


class Caps(Protocol):
    """What holds the caps of real GPUs."""

    def set(self, cap_w: float) -> None:
        """Cap them. [W]"""

    def lost(self, cap_w: float) -> str | None:
        """See `Bench`."""

    def note_job(self, job: str | None) -> None:
        """See `Bench`."""


class CommandBench:
    """This machine. A Ctrl-C or SIGTERM while the command runs goes to it; a second one kills it."""

    def __init__(
        self, node: Mapping[str, Any], caps: Caps, command: Sequence[str], stop: threading.Event, seed: int | None
    ) -> None:
        self.node = node
        self.tags = {"order": "by cap" if seed is None else f"shuffled by {seed}"}
        self._caps = caps
        self._command = list(command)
        self._stop = stop
        self._process: subprocess.Popen[bytes] | None = None
        self.set, self.lost, self.note_job = caps.set, caps.lost, caps.note_job

    def now_ms(self) -> int:
        """The wall clock."""
        return wall_clock_ms()

    def execute(self, run: SweepRun) -> int:
        """Run the command with WATTLINE_POWER_CAP_W and WATTLINE_REPEAT in its environment."""
        environment = {**os.environ, "WATTLINE_POWER_CAP_W": run.cap, "WATTLINE_REPEAT": str(run.repeat)}
        try:
            self._process = subprocess.Popen(self._command, env=environment)  # noqa: S603
        except FileNotFoundError:
            return _NOT_FOUND
        except OSError:
            return _NOT_RUN
        try:
            status = self._process.wait()
        finally:
            self._process = None
        return status if status >= 0 else 128 - status

    def rest(self, seconds: float) -> None:
        """Wait; a signal ends it."""
        self._stop.wait(seconds)

    @contextlib.contextmanager
    def heeding_signals(self) -> Iterator[None]:
        """Ctrl-C and SIGTERM end the run that goes on and the sweep after it, in order: caps are set back."""

        def handle(number: int, _: object) -> None:
            process, again = self._process, self._stop.is_set()
            self._stop.set()
            if process is not None and again:
                process.kill()
            elif process is not None and not (number == signal.SIGINT and _at_terminal()):
                process.send_signal(number)

        former = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


def _at_terminal() -> bool:
    """Whether a Ctrl-C of the terminal reaches the command without us."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
