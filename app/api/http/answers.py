"""JSON responses: numbers from arrays, missing values as null."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi.responses import Response

from app.domain.timeseries import rfc3339

__all__ = ["Json", "rfc3339"]


class Json(Response):
    """JSON by orjson: numpy arrays become lists, NaN becomes null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 (whatever orjson can write)
        """Serialize."""
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_NON_STR_KEYS)
