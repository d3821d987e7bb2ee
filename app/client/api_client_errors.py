"""What a server refused, as the error it was there."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from app.errors import BadRequest, Conflict, Forbidden, Invalid, NotFound, Unauthorized, Unavailable, WattlineError

_ERRORS: Mapping[int, type[WattlineError]] = {
    kind.status: kind for kind in (BadRequest, Unauthorized, Forbidden, NotFound, Conflict, Invalid)
}


def refusal(answer: httpx.Response) -> WattlineError:
    """The error that an answer tells; one that nobody could read (a proxy's) is `Unavailable`."""
    try:
        told = answer.json()
    except ValueError:
        told = None
    told = told if isinstance(told, dict) else {}
    kind = _ERRORS.get(answer.status_code, Unavailable)
    detail = str(told.get("detail") or f"the server answered {answer.status_code}")
    return kind(detail, str(told.get("hint") or ""), code=str(told.get("code") or kind.code))
