"""Parse an exposition line by line with prometheus_client."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families


class Sample(NamedTuple):
    """One line of an exposition."""

    name: str
    labels: Mapping[str, str]
    value: float


def samples(text: str, wanted: Collection[str] | None = None) -> Iterator[Sample]:
    """Yield the samples of an exposition; invalid lines (`N/A`, truncated) are skipped."""
    for line in text.splitlines():
        name = line.partition("{")[0].partition(" ")[0].strip()
        if not name or name.startswith("#") or (wanted is not None and name not in wanted):
            continue
        try:
            for family in text_string_to_metric_families(f"{line.partition(' # ')[0]}\n"):
                for sample in family.samples:
                    yield Sample(sample.name, sample.labels, float(sample.value))
        except (ValueError, IndexError):
            yield from _not_a_number(line, name)


def _not_a_number(line: str, name: str) -> Iterator[Sample]:
    """Yield NaN for a line whose value is `N/A`: the series exists, its value is missing."""
    head, _, tail = line.rpartition(" ")
    if tail.strip().upper() in ("N/A", "[N/A]"):
        for sample in samples(f"{head} NaN", {name}):
            yield sample._replace(value=math.nan)
