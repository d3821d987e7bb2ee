"""OpenMetrics values of a profile: metrics grouped by the point they are measured at."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from collectors.profiles.points import Points, Strict, Value


def _compiles(given: str) -> str:
    try:
        re.compile(given)
    except re.error as error:
        raise ValueError(f"invalid regular expression: {error}") from None
    return given


Pattern = Annotated[str, AfterValidator(_compiles)]


class Metric(Value):
    """A metric of an exposition.

    `sensor` says in words what the sensor behind it shows: an instant, an average over which time, a counter.
    A `fallback` is read only where the exposition has no sample of a line before it for this quantity of the place,
    so that one series never mixes two sensors.
    """

    metric: str
    sensor: str = ""
    fallback: bool = False


class NamedMetric(Strict):
    """A number that is the value of another metric, found by a label that both samples have."""

    metric: str
    by: str


class MetricPoints(Points):
    """Metrics whose samples belong to one kind of point; the pattern's names are label names, or those of `names`.

    `label` is the label that identifies the thing (a GPU's UUID); samples that carry a label of `skip` describe a part
    of it (a MIG slice) and are not read. Of the labels of `where` only samples that match are read (a label that is
    not there is empty).
    """

    label: str = ""
    skip: tuple[str, ...] = ()
    where: dict[str, Pattern] = Field(default_factory=dict)
    names: dict[str, NamedMetric] = Field(default_factory=dict)
    values: tuple[Metric, ...] = Field(min_length=1)
