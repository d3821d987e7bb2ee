"""Reject query parameters that a route does not have."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from app.errors import Invalid, Mistake

API = "/api/v1"


def _parameters(dependant: Dependant) -> Iterator[str]:
    """Yield the query parameters of a route's dependencies and its own, as they are written in an address."""
    for inner in dependant.dependencies:
        yield from _parameters(inner)
    for field in dependant.query_params:
        model = field.field_info.annotation
        if isinstance(model, type) and issubclass(model, BaseModel):
            yield from (info.alias or name for name, info in model.model_fields.items())
        else:
            yield field.alias


def require_known_parameters(request: Request) -> None:
    """Raise an error about unknown query parameters of the API; pages ignore them, as sign-in callbacks may add some.

    Raises
    ------
    Invalid
        Every unknown parameter, each with the nearest known one.
    """
    route = request.scope.get("route")
    if not request.url.query or not isinstance(route, APIRoute) or not route.path.startswith(API):
        return
    known = list(dict.fromkeys(_parameters(route.dependant)))
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known]
    if unknown:
        listed = ", ".join(repr(name) for name in unknown)
        raise Invalid(
            f"unknown query parameter{'s' if len(unknown) > 1 else ''} {listed}",
            _suggestion(unknown[0], known),
            code="unknown_parameter",
            errors=[Mistake(f"query.{name}", "unknown parameter", _suggestion(name, known)) for name in unknown],
        )


def _suggestion(name: str, known: list[str]) -> str:
    if not known:
        return "this route has no query parameters"
    listed = f"known parameters: {', '.join(known)}"
    near = get_close_matches(name, known, 1, 0.6)
    return f"did you mean {near[0]!r}? {listed}" if near else listed
