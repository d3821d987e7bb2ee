"""What is said about alerts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.api.http import Text
from app.services.alerts import LONGEST_TEXT


class AcknowledgeBody(BaseModel):
    """Who takes an alert on, and a note for the others."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    by: Annotated[Text, Field(min_length=1, max_length=100, description="who", examples=["ada"])]
    note: Annotated[Text, Field(max_length=LONGEST_TEXT, description="for the others")] = ""
