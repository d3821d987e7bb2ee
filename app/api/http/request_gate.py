"""Decide on a request by its headers, before anything of its body is received."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.gate import Throttle, body_limit, is_foreign, limited, require_short_body, route_path
from app.api.http.dependencies import AUTHORIZED, Access
from app.api.http.problems import answer_error
from app.errors import Forbidden, Unauthorized, WattlineError
from app.settings import Settings

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_SMALLEST = 1024


@dataclass(frozen=True)
class _Rule:
    """What the gate knows of a route."""

    pattern: re.Pattern[str]
    methods: frozenset[str]
    access: Access
    max_body_bytes: int


class RequestGate:
    """Checks origin, access and announced size of every request, and limits its body (ASGI middleware).

    A request without access costs neither memory nor a parser, however large its body is.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._settings = settings
        self._throttle = Throttle()
        self._rules: list[_Rule] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer with the reason why not."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        rule = self._rule(scope)
        max_body_bytes = rule.max_body_bytes if rule is not None else _SMALLEST
        try:
            self._require_own_origin(request)
            if rule is not None:
                await self._authorize(request, rule.access)
            require_short_body(scope, max_body_bytes)
            if rule is not None and _is_sign_in(request, rule):
                send = self._counting_failures(_client(request), send)
        except WattlineError as error:
            await answer_error(request, error)(scope, receive, send)
            return
        await self.app(scope, limited(receive, max_body_bytes), send)

    def _require_own_origin(self, request: Request) -> None:
        if request.method not in _SAFE and is_foreign(request.headers, self._settings.cors_origins):
            raise Forbidden(
                "this request was sent by a page of another origin",
                "send it from a script or from the pages of this server; a proxy has to pass the Host header on",
                code="foreign_origin",
            )

    async def _authorize(self, request: Request, access: Access) -> None:
        credential = request.headers.get("authorization")
        client = _client(request)
        if credential is not None:
            self._throttle.require(client)
        try:
            await access.authorize(request)
        except Unauthorized:
            if credential is not None:
                self._throttle.count(client, credential)
            raise
        request.scope[AUTHORIZED] = access.need

    def _counting_failures(self, client: str, send: Send) -> Send:
        """Refuse a client that failed to sign in too often; else return a `send` that counts another failure.

        Raises
        ------
        TooManyRequests
        """
        self._throttle.require(client)

        async def counting(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] == 401:
                self._throttle.count(client, secrets.token_hex())  # each attempt is one
            await send(message)

        return counting

    def _rule(self, scope: Scope) -> _Rule | None:
        """Return the rule of the route that will be called; None if there is none."""
        if self._rules is None:
            self._rules = _rules(scope["app"], self._settings.max_body_bytes)
        path, method = route_path(scope), scope["method"]
        return next((rule for rule in self._rules if method in rule.methods and rule.pattern.match(path)), None)


def _is_sign_in(request: Request, rule: _Rule) -> bool:
    """Return whether a request brings its credentials in the body."""
    return rule.access.need == "public" and request.method not in _SAFE


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


def _rules(app: FastAPI, max_body_bytes: int) -> list[_Rule]:
    """Return the rules of all routes in the order in which the router tries them."""
    rules = []
    for context in iter_route_contexts(app.routes):
        accesses = [d.call for d in context.dependant.dependencies if isinstance(d.call, Access)]
        pattern, path, _ = compile_path(str(context.path))
        limit = body_limit(path, max_body_bytes)
        rules.append(_Rule(pattern, frozenset(context.methods or ()), accesses[0], limit))
    return rules
