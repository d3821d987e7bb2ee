"""All errors that users see, in one tree.

    WattlineError
    ├── BadRequest          400  the request cannot be read
    │   ├── TooLarge         413
    │   └── UnsupportedMedia 415
    ├── Unauthorized        401  no token, or a wrong one
    ├── Forbidden           403  not allowed with this token or from this host
    ├── NotFound            404  no such thing
    ├── Conflict            409  contradicts what is stored
    │   └── Stale           412  changed since it was read
    ├── Invalid             422  readable, but invalid
    ├── TooManyRequests     429  wait before the next request (retryable)
    ├── NotInstalled        501  needs an optional package
    └── Unavailable         503  try again later (retryable)

Each has a stable `code`, a description (`detail`) and a suggested fix (`hint`); `retryable` says
whether the same request may succeed later. `errors` lists all errors of one request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Mistake:
    """One of several errors in a request: its place, what is wrong, and a suggested fix."""

    where: str
    detail: str
    hint: str = ""


class WattlineError(Exception):
    """Base class; not raised itself."""

    code: str = "internal"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"
    retryable: ClassVar[bool] = False
    retry_after_s: int | None = None

    def __init__(self, detail: str, hint: str = "", *, code: str | None = None, errors: Sequence[Mistake] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
        self.errors = tuple(errors)
        if code is not None:
            self.code = code


class BadRequest(WattlineError):
    """The request cannot be read."""

    code = "bad_request"
    status = 400
    title = "Bad request"


class TooLarge(BadRequest):
    """The body is larger than this route accepts."""

    code = "body_too_large"
    status = 413
    title = "Content too large"


class UnsupportedMedia(BadRequest):
    """The body has a media type that this route does not read."""

    code = "unsupported_media_type"
    status = 415
    title = "Unsupported media type"


class Unauthorized(WattlineError):
    """A token is needed, or the one given is wrong."""

    code = "unauthorized"
    status = 401
    title = "Unauthorized"


class Forbidden(WattlineError):
    """Not allowed with this token or from this host."""

    code = "forbidden"
    status = 403
    title = "Forbidden"


class NotFound(WattlineError):
    """The requested object does not exist."""

    code = "not_found"
    status = 404
    title = "Not found"


class Conflict(WattlineError):
    """The request contradicts what is stored."""

    code = "conflict"
    status = 409
    title = "Conflict"


class Stale(Conflict):
    """The object has changed since it was read (`If-Match`)."""

    code = "stale"
    status = 412
    title = "Precondition failed"


class Invalid(WattlineError):
    """The request is inconsistent or refers to something that does not exist."""

    code = "invalid"
    status = 422
    title = "Unprocessable content"


class TooManyRequests(WattlineError):
    """The client has to wait before its next request."""

    code = "too_many_requests"
    status = 429
    title = "Too many requests"
    retryable = True

    def __init__(self, detail: str, hint: str = "", *, retry_after_s: int, code: str | None = None) -> None:
        super().__init__(detail, hint, code=code)
        self.retry_after_s = retry_after_s


class NotInstalled(WattlineError):
    """The answer needs an optional package that this server does not have."""

    code = "not_installed"
    status = 501
    title = "Not implemented"


class Unavailable(WattlineError):
    """The database or a part of the service does not respond now."""

    code = "unavailable"
    status = 503
    title = "Service unavailable"
    retryable = True
    retry_after_s = 2
