"""One dependency tree for all applications of a worker, for each route.

FastAPI analyses a route, with its parameters and answers, when an application uses it first: 0.3 s of CPU time for all
of ours. Each test has an application of its own, so that this took most of the CPU time of the tests of the API.
`dependency_overrides` of an application has no effect on shared routes.
"""

from __future__ import annotations

from typing import Any

from fastapi.routing import _EffectiveRouteContext

_analyse = _EffectiveRouteContext.from_api_route
_analysed: dict[tuple[Any, ...], _EffectiveRouteContext] = {}


def shared(original_route: Any, include_context: Any) -> _EffectiveRouteContext:
    """Return what FastAPI found out about a route that is included in this way."""
    included = include_context
    dependencies = tuple(id(depends) for depends in included.dependencies)
    key = (id(original_route), included.prefix, *included.tags, *included.responses, *dependencies)
    if key not in _analysed:  # the value holds the route, so that its id is not given to another one
        _analysed[key] = _analyse(original_route=original_route, include_context=included)
    return _analysed[key]


def share() -> None:
    """Let applications share their routes."""
    _EffectiveRouteContext.from_api_route = staticmethod(shared)  # type: ignore[assignment, method-assign]
