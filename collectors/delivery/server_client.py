"""HTTP client of the server's API for collectors."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

import httpx
import orjson

from collectors.contract import wall_clock_ms
from collectors.delivery.server_clock import ServerClock
from collectors.errors import NameTaken, ServerDown, ServerRefused

_BAD_BODY = frozenset({400, 409, 413, 415, 422})
_PARTLY_STORED = frozenset({422, 503})
_INGEST = "/api/v1/ingest"
_REASONS = {
    httpx.ConnectTimeout: "no connection in time",
    httpx.PoolTimeout: "no connection in time",
    httpx.ReadTimeout: "no answer in time",
    httpx.WriteTimeout: "the request could not be sent in time",
    httpx.ConnectError: "no connection",
    httpx.ReadError: "the connection broke off",
    httpx.WriteError: "the connection broke off",
    httpx.RemoteProtocolError: "the connection was closed without an answer",
}


class ServerClient:
    """Client of the Wattline server's collector API. `instance`: which of several collectors of this name it is."""

    def __init__(
        self, client: httpx.AsyncClient, name: str, clock: ServerClock | None = None, instance: str | None = None
    ) -> None:
        self._client = client
        self.name = name
        self._instance = instance
        self.clock = clock or ServerClock()

    async def lease(self, for_s: float, polling: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        """Take or renew this collector's lease and report polling; return its devices and expiry."""
        body: dict[str, Any] = {"for_s": for_s, "now": wall_clock_ms(), "polling": polling}
        if self._instance is not None:
            body["instance"] = self._instance
        if self.clock.round_trip_ms is not None:
            body["round_trip_ms"] = self.clock.round_trip_ms
        sent_ms = self.clock.monotonic_ms()
        reply = await self._request(self._lease_path, body, timeout=for_s / 2)
        answer = self._result(self._lease_path, reply)
        if (server_ms := _time_ms(answer.get("now"))) is not None:
            self.clock.observe(server_ms, sent_ms, self.clock.monotonic_ms())
        return answer

    async def release(self) -> None:
        """Give the devices of this collector back."""
        try:
            only = {} if self._instance is None else {"instance": self._instance}
            answer = await self._client.delete(self._lease_path, params=only)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None
        self._result(self._lease_path, answer)

    @property
    def _lease_path(self) -> str:
        return f"/api/v1/collectors/{quote(self.name, safe='')}/lease"

    async def post(self, path: str, body: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
        """Send JSON, missing values as null.

        Raises
        ------
        ServerDown
            Not reachable, overloaded or broken, or it denies access: the body may be accepted later.
        ServerRefused
            It rejects this body for good.
        """
        return self._result(path, await self._request(path, body))

    async def ingest(self, body: Any) -> dict[str, Any]:  # noqa: ANN401 -- any JSON
        """Deliver readings; return what was stored and rejected, also where the status says that something was.

        Raises
        ------
        ServerDown, ServerRefused
            As `post`; nothing was stored.
        """
        answer = await self._request(_INGEST, body)
        if answer.status_code in _PARTLY_STORED and (report := _report(answer)) is not None:
            return report
        return self._result(_INGEST, answer)

    async def _request(self, path: str, body: Any, **options: Any) -> httpx.Response:  # noqa: ANN401 -- any JSON
        headers = {"Content-Type": "application/json"}
        try:
            return await self._client.post(path, content=orjson.dumps(body), headers=headers, **options)
        except httpx.HTTPError as error:
            raise self._unreachable(error) from None

    def _unreachable(self, error: httpx.HTTPError) -> ServerDown:
        return ServerDown(f"{self._client.base_url} is not reachable: {_reason(error)}")

    def _result(self, path: str, answer: httpx.Response) -> dict[str, Any]:
        if answer.is_success:
            found = orjson.loads(answer.content or b"{}")
            return found if isinstance(found, dict) else {}
        detail, code, hint = _problem(answer)
        if code == NameTaken.code:
            raise NameTaken(detail, hint, code, answer.status_code)
        if answer.status_code in _BAD_BODY:
            raise ServerRefused(detail, hint, code, answer.status_code)
        raise ServerDown(f"{path} answered {answer.status_code}: {detail}", hint, code)


def _report(answer: httpx.Response) -> dict[str, Any] | None:
    """Return the report of an ingest answer; None if the body is something else, e.g. a problem document."""
    try:
        body = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        return None
    return body if isinstance(body, dict) and isinstance(body.get("rejected"), list) else None


def _problem(answer: httpx.Response) -> tuple[str, str, str]:
    """Return detail, code and hint of a problem response (RFC 9457), as far as it has them."""
    try:
        body = orjson.loads(answer.content)
    except orjson.JSONDecodeError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    detail = str(body.get("detail") or answer.reason_phrase)
    return detail, str(body.get("code") or f"http_{answer.status_code}"), str(body.get("hint") or "")


def _reason(error: httpx.HTTPError) -> str:
    """Return why there was no answer; many errors of httpx have no text."""
    return str(error) or next(
        (text for kind, text in _REASONS.items() if isinstance(error, kind)), type(error).__name__
    )


def _time_ms(text: object) -> int | None:
    """Return a time of an answer [ms]; None if it is missing or cannot be read."""
    try:
        return round(datetime.fromisoformat(str(text)).timestamp() * 1000)
    except ValueError:
        return None
