"""Text that every database can store."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, StringConstraints

Text = Annotated[str, StringConstraints(max_length=2000, pattern=r"^[^\x00]*$")]
"""At most 2000 characters, none of them NUL."""


def _shortened(given: object) -> object:
    return given.replace("\x00", "")[:2000] if isinstance(given, str) else given


Detail = Annotated[Text, BeforeValidator(_shortened)]
"""A text that is truncated instead of rejected if it is too long."""
