"""Request bodies of alerts."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Moment, Text
from app.services.alerts import LONGEST_TEXT, NewSilence

AlertId = Annotated[int, Path(ge=1, lt=2**63)]


class AcknowledgeBody(BaseModel):
    """Who acknowledges an alert, and a note."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    by: Annotated[Text, Field(min_length=1, max_length=100, description="who acknowledges it", examples=["ada"])]
    note: Annotated[Text, Field(max_length=LONGEST_TEXT, description="a note for others")] = ""


class SilenceBody(BaseModel):
    """A silence or a maintenance window. All that is given must match an alert; nothing given matches every alert."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    by: Annotated[Text, Field(min_length=1, max_length=100, description="who makes it", examples=["ada"])]
    end: Annotated[Moment, Field(description="a year after its start at most")]
    start: Annotated[Moment | None, Field(description="now if omitted")] = None
    note: Annotated[Text, Field(max_length=LONGEST_TEXT, description="why")] = ""
    rule: Annotated[Text | None, Field(description="name of a rule")] = None
    rack: Text | None = None
    device: Text | None = None
    node: Text | None = None

    def to_silence(self) -> NewSilence:
        """The service's form."""
        return NewSilence(self.end, self.by, self.note, self.start, self.rule, self.rack, self.device, self.node)
