"""The body of what-if requests, and parameters of several routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Moment, Text
from app.services.capacity import MOST_ADDED, BasisName, WantedNodes, WhatIfRequest

Margin = Annotated[
    float | None,
    Query(ge=0, lt=100, description="kept at the rack, every PDU and every line; that of the site unless given"),
]
Names = Annotated[list[Text], Field(max_length=1000)]


class AddBody(BaseModel):
    """Nodes to add."""

    model_config = ConfigDict(extra="forbid")

    rack: Text = Field(examples=["r07"])
    model: Text = Field(examples=["hgx-h100"])
    count: int = Field(default=1, ge=1, le=MOST_ADDED)
    cords: Names = Field(default=[], description="the PDUs of each node; by default chosen like those of its model")


class WhatIfBody(BaseModel):
    """The scenario to evaluate."""

    model_config = ConfigDict(extra="forbid")

    add: list[AddBody] = Field(default=[], max_length=MOST_ADDED)
    remove: Names = Field(default=[], description="nodes, or shared supplies with all their nodes")
    fail: Names = Field(
        default=[],
        description="devices, `feed:ROOM/FEED` (all devices of a feed) or `room:KEY` (all devices of a room and those "
        "with cords to its nodes)",
        examples=[["pdu-r07-a"], ["feed:hall-1/A"], ["room:hall-1"]],
    )
    basis: BasisName = "observed_max"
    margin_pct: float | None = Field(
        default=None, ge=0, lt=100, description="kept by what is added; that of the site of its rack unless given"
    )
    start: Moment | None = Field(default=None, alias="from", description="24 h before the end unless given")
    end: Moment | None = Field(default=None, alias="to", description="now unless given")

    def to_asked(self) -> WhatIfRequest:
        """Return the request for the service."""
        add = [WantedNodes(one.rack, one.model, one.count, tuple(one.cords)) for one in self.add]
        return WhatIfRequest(add, tuple(self.remove), tuple(self.fail))
