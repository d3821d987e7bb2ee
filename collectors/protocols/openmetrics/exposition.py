"""Parse an exposition line by line with prometheus_client, in slices between which other devices have their turn."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeVar

from prometheus_client.parser import text_string_to_metric_families

from collectors.errors import BadAnswer

SLICE_LINES = 500
MOST_LINES = 200_000
MOST_SAMPLES = 20_000
"""Samples of the metrics that a profile reads."""
LONGEST_LINE = 8_192
T = TypeVar("T")
_METRIC = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_HINT = "is this the exporter of one node? Let it report less"


class Sample(NamedTuple):
    """One line of an exposition."""

    name: str
    labels: Mapping[str, str]
    value: float


async def read_samples(text: str, wanted: Collection[str]) -> list[Sample]:
    """Return the samples of the wanted metrics; invalid lines (`N/A`, truncated, very long) are skipped.

    Raises
    ------
    BadAnswer
        There are too many lines or samples.
    """
    found: list[Sample] = []
    for lines in slices(text):
        found += samples(lines, wanted)
        if len(found) > MOST_SAMPLES:
            raise BadAnswer(f"more than {MOST_SAMPLES} samples that the profile reads", _HINT, "too_many_samples")
        await turn()
    return found


async def metric_names(text: str) -> set[str]:
    """Return the names of the metrics; see `read_samples` for errors."""
    names: set[str] = set()
    for lines in slices(text):
        names.update(name for line in lines if _METRIC.fullmatch(name := _name(line)))
        await turn()
    return names


async def turn() -> None:
    """Let other devices have their turn."""
    await asyncio.sleep(0)


def slices(text: str) -> Iterator[Sequence[str]]:
    """Yield the lines of an exposition, at most `SLICE_LINES` at a time, without those that are too long."""
    for number, lines in enumerate(sliced(_lines(text))):
        if number * SLICE_LINES >= MOST_LINES:
            raise BadAnswer(f"the exposition has more than {MOST_LINES} lines", _HINT, "too_many_lines")
        yield [line for line in lines if len(line) <= LONGEST_LINE]


def sliced(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield items in lists of at most `SLICE_LINES`."""
    rest = iter(items)
    while part := list(islice(rest, SLICE_LINES)):
        yield part


def samples(lines: Iterable[str], wanted: Collection[str] | None = None) -> Iterator[Sample]:
    """Yield the samples of some lines; those of other metrics than `wanted` are not parsed."""
    for line in lines:
        name = _name(line)
        if not name or (wanted is not None and name not in wanted):
            continue
        try:
            for family in text_string_to_metric_families(f"{line.partition(' # ')[0]}\n"):
                for sample in family.samples:
                    yield Sample(sample.name, sample.labels, float(sample.value))
        except (ValueError, IndexError):
            yield from _not_a_number(line, name)


def _lines(text: str) -> Iterator[str]:
    """Yield lines, which end with a line feed and nothing else: a label may contain other separators."""
    begin = 0
    while begin < len(text):
        end = text.find("\n", begin)
        end = len(text) if end < 0 else end
        yield text[begin:end].rstrip("\r")
        begin = end + 1


def _name(line: str) -> str:
    """Return the metric of a line; empty for a comment."""
    name = line.partition("{")[0].partition(" ")[0].strip()
    return "" if name.startswith("#") else name


def _not_a_number(line: str, name: str) -> Iterator[Sample]:
    """Yield NaN for a line whose value is `N/A`: the series exists, its value is missing."""
    head, _, tail = line.rpartition(" ")
    if tail.strip().upper() in ("N/A", "[N/A]"):
        for sample in samples([f"{head} NaN"], {name}):
            yield sample._replace(value=math.nan)
