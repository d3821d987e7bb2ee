"""Errors as RFC 9457 problem details: one shape for every route."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any, NotRequired
from urllib.parse import urlencode

import orjson
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from pydantic import Field
from starlette.exceptions import HTTPException
from typing_extensions import TypedDict

from app.api.http.headers import security_headers
from app.api.http.query import API
from app.api.http.text_body import not_utf8
from app.errors import Mistake, Unavailable, WattlineError
from app.models import MAY_BE_OMITTED
from app.store.database import ERRORS, fault
from collectors.contract import ContractError

MEDIA_TYPE = "application/problem+json"
_LOG = logging.getLogger(__name__)


class MistakeShape(TypedDict):
    """One of several errors of a request."""

    where: Annotated[str, Field(description="place in the request", examples=["body.nodes.0.node"])]
    detail: str
    hint: NotRequired[Annotated[str, MAY_BE_OMITTED]]


class Problem(TypedDict):
    """RFC 9457 problem details, the body of every error response."""

    type: Annotated[str, Field(examples=["about:blank"])]
    title: str
    status: int
    code: Annotated[str, Field(description="stable name of the kind of error", examples=["not_found"])]
    detail: Annotated[str, Field(description="description of the error")]
    hint: Annotated[str, Field(description="suggested fix")]
    retryable: Annotated[bool, Field(description="whether the same request may succeed later")]
    instance: Annotated[str, Field(description="path of the request")]
    errors: NotRequired[Annotated[list[MistakeShape], MAY_BE_OMITTED]]


def _statuses() -> dict[int, str]:
    """Return every status of an error with its title, in ascending order."""
    found = {HTTPStatus.METHOD_NOT_ALLOWED.value: "Method not allowed"}
    waiting: list[type[WattlineError]] = [WattlineError]
    while waiting:
        kind = waiting.pop()
        found[kind.status] = kind.title
        waiting += kind.__subclasses__()
    return dict(sorted(found.items()))


def _problems(first_digit: int, text: str) -> dict[str, Any]:
    listed = ", ".join(f"{status} {title}" for status, title in _statuses().items() if status // 100 == first_digit)
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": f"{text}: {listed}", "content": {MEDIA_TYPE: {"schema": schema}}}


PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": _problems(4, "The request is invalid"),
    "5XX": _problems(5, "The service has failed"),
}
"""Responses of every route in the OpenAPI document."""

_STATUS_HINT = {
    404: ("not_found", "the routes are listed at /docs"),
    405: ("method_not_allowed", "the methods of each route are listed at /docs"),
    413: ("body_too_large", "send fewer batches in one request"),
}


_CHALLENGE = 'Bearer realm="Wattline"'
"""Basic is accepted, not asked for: a browser would ask with a window of its own instead of the sign-in page."""


def problem(
    request: Request,
    *,
    status: int,
    title: str,
    code: str,
    detail: str,
    hint: str,
    retryable: bool = False,
    errors: Sequence[Mistake] = (),
    headers: dict[str, str] | None = None,
) -> Response:
    """Return a problem response."""
    body: Problem = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
        "hint": hint,
        "retryable": retryable,
        "instance": request.url.path,
    }
    if errors:
        body["errors"] = [_mistake(mistake) for mistake in errors]
    return Response(orjson.dumps(body), status, headers, MEDIA_TYPE)


def _mistake(mistake: Mistake) -> MistakeShape:
    found: MistakeShape = {"where": mistake.where, "detail": mistake.detail}
    if mistake.hint:
        found["hint"] = mistake.hint
    return found


def answer_error(request: Request, error: Exception) -> Response:
    """Return the problem response of an error of ours."""
    assert isinstance(error, WattlineError)
    headers = {}
    if error.status == HTTPStatus.UNAUTHORIZED and _is_page(request):
        return RedirectResponse(_sign_in_address(request), HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    answer = problem(
        request,
        status=error.status,
        title=error.title,
        code=error.code,
        detail=error.detail,
        hint=error.hint,
        retryable=error.retryable,
        errors=error.errors,
        headers=headers,
    )
    if error.status == HTTPStatus.UNAUTHORIZED:
        answer.headers["WWW-Authenticate"] = _CHALLENGE
    return answer


def _is_page(request: Request) -> bool:
    """Return whether a browser asks for a page, so that a person can sign in."""
    wants_page = "text/html" in request.headers.get("accept", "")
    return request.method == "GET" and wants_page and not request.url.path.startswith(f"{_root(request)}{API}")


def _may_be_page(request: Request) -> bool:
    """Return whether a browser asks for an address that is neither of the API nor of a file."""
    path = request.url.path.removeprefix(_root(request))
    return _is_page(request) and path.split("/")[1] not in ("api", "static") and "." not in path.rpartition("/")[2]


def _sign_in_address(request: Request) -> str:
    """Return the address of the sign-in page, which leads back to this one."""
    root = _root(request)
    back = request.url.path.removeprefix(root) + (f"?{request.url.query}" if request.url.query else "")
    return f"{root}/sign-in?{urlencode({'next': back})}"


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", "")).rstrip("/")


def _contract(request: Request, error: Exception) -> Response:
    assert isinstance(error, ContractError)
    return problem(
        request, status=422, title="Unprocessable content", code=error.code, detail=error.detail, hint=error.hint
    )


def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if found[0]["type"] == "json_invalid":
        return _not_json(request, found[0])
    mistakes = [Mistake(".".join(map(str, item["loc"])), _said(item), _expected(item)) for item in found]
    first = mistakes[0]
    rest = f" (and {len(mistakes) - 1} more)" if len(mistakes) > 1 else ""
    return problem(
        request,
        status=422,
        title="Unprocessable content",
        code="invalid_request",
        detail=f"{first.where}: {first.detail}{rest}",
        hint=first.hint or "compare the request with the schema of this route at /docs",
        errors=mistakes,
    )


def _not_json(request: Request, item: dict[str, Any]) -> Response:
    reason, position = (item.get("ctx") or {}).get("error", "it cannot be read"), item["loc"][-1]
    return problem(
        request,
        status=400,
        title="Bad request",
        code="unreadable_body",
        detail=f"the body is not JSON: {reason} (character {position})",
        hint="send one JSON object as the schema of this route at /docs describes; missing values are null",
    )


def _said(item: dict[str, Any]) -> str:
    return str(item["msg"]).removeprefix("Value error, ")


def _expected(item: dict[str, Any]) -> str:
    expected = (item.get("ctx") or {}).get("expected")
    return f"allowed: {expected}" if expected else ""


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.__cause__, UnicodeDecodeError):  # FastAPI could not decode a JSON body
        return answer_error(request, not_utf8(error.__cause__))
    missing_page = getattr(request.app.state, "missing_page", None)
    if error.status_code == HTTPStatus.NOT_FOUND and missing_page is not None and _may_be_page(request):
        page: Response = missing_page(request)
        return page
    phrase = HTTPStatus(error.status_code).phrase
    code, hint = _STATUS_HINT.get(
        error.status_code, (phrase.lower().replace(" ", "_"), "the API is described at /docs")
    )
    detail = f"there is no route {request.url.path}" if error.status_code == HTTPStatus.NOT_FOUND else str(error.detail)
    return problem(
        request,
        status=error.status_code,
        title=phrase,
        code=code,
        detail=detail,
        hint=hint,
        headers=dict(error.headers or {}),
    )


def _database(request: Request, error: Exception) -> Response:
    found = fault(error)
    if found is None:
        return _unexpected(request, error)
    _LOG.warning("%s %s: database: %s", request.method, request.url.path, error)
    return answer_error(request, Unavailable(found.detail, found.hint, code=found.code))


def _unexpected(request: Request, error: Exception) -> Response:
    _LOG.exception("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(
        request,
        status=500,
        title="Internal error",
        code="internal",
        detail="the server failed to process this request; see its log",
        hint="report the time and address of the request",
        headers=security_headers(request.url.scheme, request.app.state.stores.settings.hsts_days),
    )


def _too_deep(request: Request, _: Exception) -> Response:
    return problem(
        request,
        status=400,
        title="Bad request",
        code="unreadable_body",
        detail="the body is nested too deep",
        hint="compare the request with the schema of this route at /docs",
    )


def install(app: FastAPI) -> None:
    """Make every error of the app a problem response."""
    app.add_exception_handler(WattlineError, answer_error)
    app.add_exception_handler(ContractError, _contract)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(HTTPException, _http)
    for kind in ERRORS:
        app.add_exception_handler(kind, _database)
    app.add_exception_handler(RecursionError, _too_deep)
    app.add_exception_handler(Exception, _unexpected)
