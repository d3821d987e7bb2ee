"""The runs of a sweep and their order."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.errors import Invalid

_HINT = "write it like --caps 100:260:10 (first:last:step) or --caps 150,200,250"
_MOST_RUNS = 10_000


@dataclass(frozen=True, order=True)
class SweepRun:
    """One execution: its cap [W] and repetition number (from 1)."""

    cap_w: float
    repeat: int

    @property
    def cap(self) -> str:
        """Return the cap as the value of a tag."""
        return f"{self.cap_w:g}"


def caps(text: str) -> list[float]:
    """Return the caps [W] of `first:last:step`, both ends included, or of a list.

    Raises
    ------
    Invalid
        The text is neither, or a cap is not above 0.
    """
    try:
        numbers = [float(part) for part in text.replace(":", ",").split(",")]
    except ValueError:
        raise Invalid(f"--caps {text!r} is not a range of watts", _HINT) from None
    if not all(math.isfinite(w) and w > 0 for w in numbers):
        raise Invalid(f"--caps {text!r} contains a value that is not above 0 W", _HINT)
    if ":" not in text:
        return list(dict.fromkeys(numbers))
    if len(numbers) != 3 or "," in text or numbers[0] > numbers[1]:
        raise Invalid(f"--caps {text!r} is not first:last:step", _HINT)
    first, last, step = numbers
    return [first + i * step for i in range(math.floor((last - first) / step + 1e-9) + 1)]


def plan(
    caps_w: Sequence[float], repeats: int, seed: int | None = None, done: Collection[SweepRun] = ()
) -> list[SweepRun]:
    """Return every cap `repeats` times without the runs done already: cap by cap, or shuffled by a seed.

    The order of a seed does not depend on the runs done, so a resumed sweep continues in its order.

    Raises
    ------
    Invalid
        Less than one repeat, or more than 10,000 runs.
    """
    if repeats < 1 or len(caps_w) * repeats > _MOST_RUNS:
        raise Invalid(
            f"--repeat {repeats} of {len(caps_w)} caps", f"use at least 1, and at most {_MOST_RUNS} runs in total"
        )
    runs = [SweepRun(cap_w, repeat) for cap_w in caps_w for repeat in range(1, repeats + 1)]
    if seed is not None:
        random.Random(seed).shuffle(runs)
    return [run for run in runs if run not in done]
