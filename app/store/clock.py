"""The clock the stores run on unless they are given another."""

import time


def wall_clock_ms() -> int:
    """UTC now, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
