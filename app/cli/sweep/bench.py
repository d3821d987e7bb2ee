"""The machine on which a sweep runs its command."""

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
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Exit status of a shell for a missing command, and for one that cannot be executed."""


class Bench(Protocol):
    """A node whose GPUs can be capped."""

    @property
    def node(self) -> Mapping[str, Any]:
        """The node of a job, as `POST /api/v1/jobs` takes it."""

    @property
    def tags(self) -> Mapping[str, str]:
        """Tags of every run on it."""

    def now_ms(self) -> int:
        """Return the time of its clock [ms UTC]."""

    def set(self, cap_w: float) -> None:
        """Set the power cap of the GPUs [W]."""

    def lost(self, cap_w: float) -> str | None:
        """Return why the cap is no longer in force; None while it is."""

    def note_job(self, job: str | None) -> None:
        """Record which job is running, in case this process dies."""

    def execute(self, run: SweepRun) -> int:
        """Run the command once and return its exit status."""

    def rest(self, seconds: float) -> None:
        """Wait for the GPUs to cool down."""


class Caps(Protocol):
    """Sets the power caps of real GPUs."""

    def set(self, cap_w: float) -> None:
        """Set the power cap [W]."""

    def lost(self, cap_w: float) -> str | None:
        """See `Bench`."""

    def note_job(self, job: str | None) -> None:
        """See `Bench`."""


class CommandBench:
    """This machine. Ctrl-C or SIGTERM is passed on to the running command; a second one kills it."""

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
        """Return the wall clock [ms UTC]."""
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
        """Wait, or return early on a signal."""
        self._stop.wait(seconds)

    @contextlib.contextmanager
    def handling_signals(self) -> Iterator[None]:
        """End the current run and the sweep on Ctrl-C and SIGTERM; caps are restored."""

        def handle(number: int, _: object) -> None:
            process, again = self._process, self._stop.is_set()
            self._stop.set()
            if process is not None and again:
                process.kill()
            elif process is not None and not (number == signal.SIGINT and _at_terminal()):
                process.send_signal(number)

        under_nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        heard = [number for number in _SIGNALS if number != signal.SIGHUP or not under_nohup]
        former = {number: signal.signal(number, handle) for number in heard}
        try:
            yield
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)


def _at_terminal() -> bool:
    """Return whether Ctrl-C in the terminal reaches the command directly."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
