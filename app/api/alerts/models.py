"""Request bodies of alerts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Text
from app.services.alerts import LONGEST_TEXT


class AcknowledgeBody(BaseModel):
    """Who acknowledges an alert, and a note."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    by: Annotated[Text, Field(min_length=1, max_length=100, description="who acknowledges it", examples=["ada"])]
    note: Annotated[Text, Field(max_length=LONGEST_TEXT, description="a note for others")] = ""
