"""The answer of an exporter that keeps its samples, checked before anything of it is used."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field, ValidationError

from collectors.contract import DAY_MS
from collectors.device import LONGEST_TEXT, MOST_SERIES
from collectors.errors import BadAnswer

FORMAT = 1
_MOST_ROWS = 20_000
_MOST_CELLS = 2_000_000
_MOST_EVENTS = 10_000
_Text = Annotated[str, Field(max_length=LONGEST_TEXT)]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class SampleColumnAnswer(BaseModel):
    """A column; see `collectors.nvml_exporter.ring.SampleColumn`."""

    point: _Text
    value: _Text
    sensor: _Text
    uuid: _Text | None = None
    modulus: _Positive | None = None
    window_ms: int | None = None
    update_ms: int | None = None
    values: list[float | None]


class SampleEvent(BaseModel):
    """An event of the node."""

    t_ms: int
    kind: _Text
    severity: Literal["info", "warning", "error", "critical"]
    detail: str


class SampleLoss(BaseModel):
    """Samples that were overwritten before they were fetched."""

    reason: _Text
    rows: int | None = None


class SampleAnswer(BaseModel):
    """Samples since a cursor."""

    format: Literal[1]
    interval_ms: int = Field(gt=0, le=DAY_MS)
    now_ms: int = Field(ge=0, le=2**53)
    cursor: _Text
    head: _Text
    lost: SampleLoss | None = None
    events: list[SampleEvent] = Field(default=[], max_length=_MOST_EVENTS)
    t_ms: list[Annotated[int, Field(ge=0, le=2**53)]] = Field(max_length=_MOST_ROWS)
    columns: list[SampleColumnAnswer] = Field(max_length=MOST_SERIES)


def read_answer(text: str, url: str) -> SampleAnswer:
    """Return the answer in a text.

    Raises
    ------
    BadAnswer
        It has another format, is incomplete or too large.
    """
    try:
        answer = SampleAnswer.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = "/".join(map(str, first["loc"])) or "the whole"
        detail = f"{url} does not answer in format {FORMAT}: {where}: {first['msg']}"
        raise BadAnswer(detail, "update the exporter or the collector") from None
    rows = len(answer.t_ms)
    if any(len(column.values) != rows for column in answer.columns):
        raise BadAnswer(f"{url}: a column has not {rows} values, as many as there are times")
    if rows * len(answer.columns) > _MOST_CELLS:
        raise BadAnswer(f"{url} answered with more than {_MOST_CELLS} values", code="answer_too_large")
    return answer
