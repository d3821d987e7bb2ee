"""Request bodies of alerts."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from app.api.http import Moment, Text
from app.services.alerts import LONGEST_TEXT, NewSilence

AlertId = Annotated[int, Path(ge=1, lt=2**63)]


class AcknowledgeBody(BaseModel):
    """Who acknowledges an alert, and a note."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    by: Annotated[
        Text,
        Field(
            min_length=1, max_length=100, description="who acknowledges it; of a user the own name", examples=["ada"]
        ),
    ]
    note: Annotated[Text, Field(max_length=LONGEST_TEXT, description="a note for others")] = ""


class AlertRuleBody(TypedDict, total=False):
    """Settings of a rule; those that are omitted return to their defaults.

    Thresholds are in the rule's unit, which `GET /api/v1/alerts/rules` names in `warn_of` and `crit_of`.
    """

    enabled: bool
    warn: Annotated[float, Field(description="threshold of a warning, in the unit `warn_of`", examples=[27.0])]
    crit: Annotated[float | None, Field(description="of a critical alert, in `crit_of`; null: none", examples=[32.0])]
    margin: Annotated[float, Field(ge=0, description="how far below a threshold a level ends, in the same unit")]
    for_s: Annotated[float, Field(ge=0, le=86_400, description="s for which it must last before the alert opens")]
    clear_s: Annotated[float, Field(ge=0, le=86_400, description="s for which it must be over before it ends")]


RULE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/AlertRuleBody"},
                "example": {"warn": 25.0, "crit": 30.0, "margin": 1.0, "for_s": 300.0},
            }
        },
    }
}


class SilenceBody(BaseModel):
    """A silence or a maintenance window. All that is given must match an alert; nothing given matches every alert."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    by: Annotated[
        Text, Field(min_length=1, max_length=100, description="who makes it; of a user the own name", examples=["ada"])
    ]
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
