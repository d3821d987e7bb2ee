"""Write metric families as OpenMetrics 1.0 text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class Exposition:
    """Collects metric families; missing values are omitted."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def gauge(self, name: str, unit: str, about: str, samples: Iterable[tuple[Mapping[str, object], float]]) -> None:
        """Add a gauge family. OpenMetrics requires a unit to be the last word of the name."""
        self._family(name, "gauge", unit, about, samples)

    def counter(self, name: str, unit: str, about: str, samples: Iterable[tuple[Mapping[str, object], float]]) -> None:
        """Add a counter family; `name` is without `_total`."""
        self._family(name, "counter", unit, about, samples, "_total")

    def info(self, name: str, about: str, samples: Iterable[Mapping[str, object]]) -> None:
        """Add an info family; `name` is without `_info`."""
        self._family(name, "info", "", about, ((labels, 1.0) for labels in samples), "_info")

    def text(self) -> str:
        """Return the exposition."""
        return "\n".join([*self._lines, "# EOF", ""])

    def _family(
        self,
        name: str,
        kind: str,
        unit: str,
        about: str,
        samples: Iterable[tuple[Mapping[str, object], float]],
        suffix: str = "",
    ) -> None:
        rows = [f"{name}{suffix}{_labels(labels)} {_number(v)}" for labels, v in samples if not math.isnan(v)]
        if rows:
            self._lines += [f"# TYPE {name} {kind}"]
            self._lines += [f"# UNIT {name} {unit}"] if unit else []
            self._lines += [f"# HELP {name} {_escaped(about)}", *rows]


def _labels(labels: Mapping[str, object]) -> str:
    pairs = [f'{name}="{_escaped(str(value))}"' for name, value in labels.items() if value not in (None, "")]
    return "{" + ",".join(pairs) + "}" if pairs else ""


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def flags(bits: float, known: Mapping[str, int]) -> Iterator[tuple[str, float]]:
    """Yield each known bit by name: 1 if set, else 0; NaN for all if the bits are missing."""
    for name, bit in known.items():
        yield name, math.nan if math.isnan(bits) else float(bool(int(bits) & bit))
