"""Child processes of `wattline up`: started, restarted when they exit, stopped with their parent.

A child reads its standard input, a pipe from the parent, and exits when it closes: no orphan keeps a port even if
the parent is killed.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import uvloop

from collectors.contract import CheckedResolution

SUPERVISED = "WATTLINE_SUPERVISED"
_LONGEST_PAUSE_S = 30.0
_GRACE_S = 8.0
_CLEANUP_S = 2.0


@dataclass
class Child:
    """One `wattline` subcommand that runs as long as its parent."""

    arguments: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    pause_s: float = 1.0
    next_start_s: float = 0.0

    def tend(self) -> None:
        """Start it if it is not running and its pause is over."""
        if self.process is not None and self.process.poll() is None:
            return
        now = time.monotonic()
        if self.process is not None:
            code, self.process = self.process.returncode, None
            self.next_start_s = now + self.pause_s
            self.pause_s = min(2 * self.pause_s, _LONGEST_PAUSE_S)
            print(f"wattline {self.arguments[0]} exited with {code}; restarting it", file=sys.stderr)  # noqa: T201
        if now >= self.next_start_s:
            self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "app.cli", *self.arguments],
            stdin=subprocess.PIPE,
            env={**os.environ, SUPERVISED: "1"},
            start_new_session=True,  # Ctrl-C reaches only the parent, which stops its children in order
        )

    def stop(self) -> None:
        """Terminate it, and kill it after a grace period."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@dataclass
class Supervisor:
    """Keeps its children running in a thread until `stop`."""

    children: list[Child]
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Start every child and supervise it."""
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stopping.wait(0.5):
            for child in self.children:
                child.tend()

    def stop(self) -> None:
        """Stop every child and wait until all have exited."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
        for child in reversed(self.children):
            child.stop()


class _Loop(CheckedResolution, uvloop.Loop):  # type: ignore[misc]
    """The loop of a collector, which sets what it connects to."""


def until_stopped(work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run `work` until SIGINT, SIGTERM, SIGHUP or the end of the supervising parent.

    The process ends soon after `work`, even if a task ignores its cancellation.
    """
    limits: list[threading.Timer] = []

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup
                loop.add_signal_handler(number, stop.set)
        orphaned = asyncio.create_task(parent_gone())
        orphaned.add_done_callback(lambda task: None if task.cancelled() else _stop_within_grace(stop))
        gc.freeze()  # Objects made at the start stay: there is no garbage among them.
        try:
            await work(stop)
        finally:
            orphaned.cancel()
            limits.append(_exit_after(_CLEANUP_S))

    try:
        uvloop.run(main(), loop_factory=_Loop)
    finally:
        for limit in limits:
            limit.cancel()


def _stop_within_grace(stop: asyncio.Event) -> None:
    """Stop in order, but exit after a grace period whatever still runs: no collector outlives its server."""
    stop.set()
    _exit_after(_GRACE_S)


def _exit_after(seconds: float) -> threading.Timer:
    end = threading.Timer(seconds, os._exit, (1,))
    end.daemon = True
    end.start()
    return end


async def parent_gone() -> None:
    """Return when the supervising parent has closed standard input; never without a parent."""
    if not os.environ.get(SUPERVISED):
        await asyncio.Event().wait()
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError, ValueError):
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        await reader.read()
