"""JSON answers: numbers straight from arrays, missing as null."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
from fastapi.responses import Response


class Json(Response):
    """JSON by orjson: numpy arrays become lists, NaN becomes null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 (whatever orjson can write)
        """Serialize."""
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)


def rfc3339(t_ms: int | None) -> str | None:
    """A moment for an answer: UTC with a `Z`, milliseconds only where there are any."""
    if t_ms is None:
        return None
    seconds, milliseconds = divmod(t_ms, 1000)
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{milliseconds:03d}Z" if milliseconds else f"{text}Z"
