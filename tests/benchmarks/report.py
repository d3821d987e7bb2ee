"""What a run of the benchmarks found: printed, and written as a page."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Section:
    """One table: `header` names the columns, `notes` say what was done."""

    title: str
    header: tuple[str, ...]
    notes: list[str] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """A row; missing cells at its end stay empty."""
        row = (*cells, *[""] * (len(self.header) - len(cells)))
        self.rows.append(row)
        print(
            "  " + "  ".join(row[:1] + tuple(f"{n}: {c}" for n, c in zip(self.header[1:], row[1:], strict=True) if c))
        )

    def markdown(self) -> str:
        """The table with its notes."""
        lines = [f"## {self.title}", "", *(line for note in self.notes for line in (note, ""))]
        lines += [_line(self.header), _line([":--", *["--:"] * (len(self.header) - 1)])]
        return "\n".join([*lines, *(_line(row) for row in self.rows), ""])


def _line(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Median wall time of `work`."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def ms(seconds_: float) -> str:
    """`3.2 ms`."""
    value = 1e3 * seconds_
    return f"{value:.0f} ms" if value >= 100 else f"{value:.1f} ms" if value >= 10 else f"{value:.2f} ms"


def rate(samples: int, seconds_: float) -> str:
    """`1.20 M/s`."""
    return f"{samples / seconds_ / 1e6:.2f} M/s"


def times(theirs: float, ours: float) -> str:
    """` (3.1 × Wattline)`."""
    return f" ({theirs / ours:.3g} × Wattline)" if ours else ""


def machine() -> str:
    """What it ran on."""
    name = next(
        (line.partition(":")[2].strip() for line in _lines(Path("/proc/cpuinfo")) if line.startswith("model name")),
        platform.processor(),
    )
    memory_kb = next((int(line.split()[1]) for line in _lines(Path("/proc/meminfo")) if line.startswith("MemTotal")), 0)
    return (
        f"{os.cpu_count()} cores ({name or 'unknown'}), {memory_kb / 1048576:.0f} GiB, {platform.system()} "
        f"{platform.release()}, Python {platform.python_version()}"
    )


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []
