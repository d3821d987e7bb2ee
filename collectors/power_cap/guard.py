"""`python -m collectors.power_cap.guard JOURNAL`: restore the caps when the sweep that started it has ended.

Its standard input is a pipe from the sweep, which closes however the sweep ends, also by SIGKILL. A sweep that ended
normally has cleared the journal before, and nothing is left to do.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from collectors.contract import wall_clock_ms
from collectors.errors import CollectorError
from collectors.power_cap.journal import Journal, JournalEntry
from collectors.power_cap.libraries import open_library

_GRACE_S = 15.0


@contextlib.contextmanager
def guarded(journal: Journal) -> Iterator[None]:
    """Run a guard process, in its own session so that Ctrl-C in the terminal does not reach it."""
    guard = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "collectors.power_cap.guard", str(journal.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert guard.stdin is not None
    assert guard.stdout is not None
    try:
        guard.stdout.read(1)  # wait until it is ready
        yield
    finally:
        guard.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            guard.wait(_GRACE_S)
        guard.stdout.close()


def restore(journal: Journal) -> JournalEntry | None:
    """Restore the former caps; return the journal entry, which is kept until cleared.

    Raises
    ------
    CollectorError
        A cap could not be restored. All others were.
    """
    entry = journal.read()
    if entry is None or entry.restored_ms is not None:
        return entry
    library = open_library(entry.through)
    failures: list[CollectorError] = []
    try:
        for uuid, cap_w in entry.former_w.items():
            try:
                library.set(uuid, cap_w)
            except CollectorError as error:
                failures.append(error)
    finally:
        library.close()
    if failures:
        raise failures[0]
    journal.note(restored_ms=wall_clock_ms())
    return journal.read()


def main() -> None:
    """Wait for the end of the sweep, then restore."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdout.write("g")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    restore(Journal(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
