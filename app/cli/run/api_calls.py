"""Requests of commands to the API."""

from __future__ import annotations

import time
from typing import Any

import httpx

from app.client import api_error
from app.errors import Unavailable, WattlineError

_PAUSES_S = (1.0, 4.0, 15.0, 40.0)
"""Pauses between attempts to report the end of a job, long enough for a restart of the server."""
_NO_TOKEN = 401


def open_client(url: str, token: str, timeout_s: float = 15.0) -> httpx.Client:
    """Return a client of the server at `url`."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=url, headers=headers, timeout=timeout_s)


def insist(client: httpx.Client, path: str, body: dict[str, Any]) -> None:
    """Repeat a PATCH for a minute until the server accepts it; then raise as `answer` does."""
    for pause_s in _PAUSES_S:
        try:
            answer(client, "PATCH", path, body)
        except Unavailable:
            time.sleep(pause_s)
        else:
            return
    answer(client, "PATCH", path, body)


def answer(
    client: httpx.Client,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    query: Any = None,  # noqa: ANN401
) -> dict[str, Any]:
    """Send one request and return the response of the server.

    Raises
    ------
    Unavailable
        The server does not respond, asks to retry later, or is not Wattline.
    WattlineError
        The server rejects the request, with its detail and hint.
    """
    try:
        response = client.request(method, path, json=body, params=query)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(f"{client.base_url} does not respond: {error}", "set WATTLINE_URL or --url") from error
    if response.is_error:
        raise _with_command_hint(api_error(response))
    try:
        content = response.json()
    except ValueError:
        content = None
    if not isinstance(content, dict):
        detail = f"{client.base_url} answered {response.status_code} without a JSON object"
        raise Unavailable(detail, "set WATTLINE_URL or --url to the address of Wattline")
    return content


def _with_command_hint(error: WattlineError) -> WattlineError:
    """Return an error whose hint is in terms of the command line."""
    if error.status == _NO_TOKEN:
        error.hint = "set WATTLINE_TOKEN or --token to a token with access"
    elif "there is no node" in error.detail:
        error.hint = "set --node to the key of this host in the facility; GET /api/v1/nodes lists all nodes"
    return error
