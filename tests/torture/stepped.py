"""A command of Wattline whose wall clock a test sets: `python -m tests.torture.stepped FILE serve …`.

FILE holds the offset from the real clock in seconds; read ten times a second. The monotonic clock goes on, as it does
where a real clock is set.
"""

import sys
import time
from pathlib import Path

REAL_NS = time.time_ns


class SteppedClock:
    """The wall clock plus the offset that a file holds."""

    def __init__(self, file):
        self._file, self._read_s, self._offset_ns = file, 0.0, 0

    def __call__(self):
        now_s = time.monotonic()
        if now_s > self._read_s + 0.1:
            self._offset_ns, self._read_s = self._offset(), now_s
        return REAL_NS() + self._offset_ns

    def _offset(self):
        try:
            return round(1e9 * float(self._file.read_text()))
        except (OSError, ValueError):
            return self._offset_ns


def main():
    file, *arguments = sys.argv[1:]
    time.time_ns = SteppedClock(Path(file))  # what collectors.contract.wall_clock_ms asks
    sys.argv = ["wattline", *arguments]
    from app.cli import main as command

    command()


if __name__ == "__main__":
    main()
