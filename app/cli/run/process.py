"""Run a command in place of this process, with its terminal, file descriptors, signals and exit status."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

_PASSED = {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2}
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_SENT_BY_TERMINAL = 0x80
"""`si_code` SI_KERNEL: the kernel sent the signal, as a terminal does to each process in its foreground."""
_CHECK_S = 0.25
"""The end of the command is noticed after this time, should another thread have got the signal of it."""
_NOT_FOUND, _NOT_RUN = 127, 126
"""Exit status of a shell for a missing command, and for one that cannot be executed."""
SIGNALLED = 128
"""Added to the number of a signal to get the exit status of a shell."""

SignalSet = set[signal.Signals | int]


@contextmanager
def holding_signals() -> Iterator[SignalSet]:
    """Hold signals back while a command is prepared, runs and is concluded; yield those that were held before."""
    children = signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a parent may have had children ignored
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {*_PASSED, signal.SIGCHLD})
    try:
        yield held
    finally:
        while signal.sigpending() & _PASSED:
            signal.sigwait(_PASSED)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
        signal.signal(signal.SIGCHLD, children)


def is_asked_to_stop() -> bool:
    """Return whether a signal is held back."""
    return bool(signal.sigpending() & _PASSED)


def take_signal(within_s: float) -> int | None:
    """Wait for a signal and return its number; None if none came within the time."""
    found = signal.sigtimedwait(_PASSED, max(0.0, within_s))
    return None if found is None else found.si_signo


def run_process(command: Sequence[str], held: SignalSet) -> int:
    """Run a command and return its exit status as a shell does: 128 + N after signal N. Call while holding signals.

    Its open files, also those of a launcher such as MPI, and its process group are those of this process. Signals are
    passed on, except those of the terminal, which reach it directly.
    """
    try:
        child = os.posix_spawnp(command[0], list(command), os.environ, setsigmask=held, setsigdef=_IGNORED_BY_PYTHON)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)  # noqa: T201
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUN
    status = _wait(child)
    return status if status >= 0 else SIGNALLED - status


def _wait(child: int) -> int:
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        found = signal.sigtimedwait({*_PASSED, signal.SIGCHLD}, _CHECK_S)
        if found is not None and found.si_signo != signal.SIGCHLD and found.si_code != _SENT_BY_TERMINAL:
            os.kill(child, found.si_signo)
