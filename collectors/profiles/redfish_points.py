"""Redfish values of a profile: properties of resources, grouped by the point they are measured at."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, model_validator

from collectors.profiles.metric_points import Pattern
from collectors.profiles.points import Points, Strict, Value

Link = Annotated[str, Field(pattern=r"^[\w{}]+(/[\w{}]+)*(#\w+/\{\w+\})?$")]
"""A path from the service root: `Chassis/{chassis}/Power#PowerSupplies/{psu}`. A word is a link to follow, a name in
braces stands for each member of a collection, after `#` for each item of a list in the resource."""

_NAME = re.compile(r"\{(\w+)\}")


def names_of(link: str) -> frozenset[str]:
    """Return the names in braces of a path."""
    return frozenset(_NAME.findall(link))


class Property(Value):
    """A property of a resource by its path: `PowerWatts/Reading`, `PowerControl/0/PowerConsumedWatts`.

    `sensor` says in words what the number shows; a path in braces stands for what the resource says there
    (`average over {PowerMetrics/IntervalInMin} min`). A number equal to that of the property `unlike` is no reading.
    """

    property: str
    sensor: str = ""
    unlike: str = ""


class RedfishPoints(Points):
    """Properties of one kind of point. If several values give the same quantity of one kind of point, the first that
    has a number counts, so that a series never mixes two sensors.

    `label` is the property that names the place for people. Of the properties of `where` only resources that match are
    read (`{sensor}` stands for what a member is called); named groups of these regular expressions name the place. The
    first `skip` items of a list are not read.
    """

    at: Link
    label: str = "Name"
    skip: int = Field(default=0, ge=0)
    where: dict[str, Pattern] = Field(default_factory=dict)
    values: tuple[Property, ...] = Field(min_length=1)

    @property
    def known_names(self) -> frozenset[str]:
        """Return the names that the point may use: those of the path and of the groups in `where`."""
        return names_of(self.at) | {name for pattern in self.where.values() for name in re.compile(pattern).groupindex}


class RedfishIdentity(Strict):
    """Match a service with a resource at `at` whose properties match `where`."""

    at: Link
    where: dict[str, Pattern] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _no_list(self) -> RedfishIdentity:
        if "#" in self.at:
            raise ValueError("at: name a resource, not an item of a list")
        return self
