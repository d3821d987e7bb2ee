"""Errors of the server as errors of the command."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from app.errors import BadRequest, Conflict, Forbidden, Invalid, NotFound, Unauthorized, Unavailable, WattlineError

_ERRORS: Mapping[int, type[WattlineError]] = {
    kind.status: kind for kind in (BadRequest, Unauthorized, Forbidden, NotFound, Conflict, Invalid)
}


def api_error(response: httpx.Response) -> WattlineError:
    """Return the error of a response; one that is not Wattline's (of a proxy) is `Unavailable`."""
    try:
        problem = response.json()
    except ValueError:
        problem = None
    problem = problem if isinstance(problem, dict) else {}
    for row in problem.get("rejected") or ():  # a report of ingest instead of a problem
        if row.get("retryable"):
            problem = row
            break
    kind = _ERRORS.get(response.status_code, Unavailable)
    detail = str(problem.get("detail") or f"the server answered {response.status_code}")
    return kind(detail, str(problem.get("hint") or ""), code=str(problem.get("code") or kind.code))
