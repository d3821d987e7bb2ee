"""Sign in by a code: the user compares it on a page of the server."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from typing import Any

from app.errors import Unavailable


def token_by_code(url: str, show: Callable[[str], None], sleep: Callable[[float], None] = time.sleep) -> str | None:
    """Show a code, wait until a user lets this command in, and return the token; None from a server without this.

    Raises
    ------
    Unavailable, Forbidden, NotFound
        The server does not respond; the user refused; no user decided in time.
    """
    import httpx

    from app.client import api_error

    with httpx.Client(base_url=url.rstrip("/") + "/api/v1", timeout=15) as client:
        begun = _post(client, "/device-login", {"host": platform.node()[:200] or "unknown"})
        if begun.status_code in (404, 405):
            return None
        if begun.is_error:
            raise api_error(begun)
        asked: dict[str, Any] = begun.json()
        show(f"open {asked['url']}\nand let this command in if the page shows {asked['user_code']}")
        while True:
            sleep(asked["interval_s"])
            answer = _post(client, "/device-login/token", {"device_code": asked["device_code"]})
            if answer.status_code == 201:
                return str(answer.json()["token"])
            if answer.status_code != 409:
                raise api_error(answer)


def _post(client: Any, path: str, body: dict[str, str]) -> Any:  # noqa: ANN401 - httpx is loaded late
    import httpx

    try:
        return client.post(path, json=body)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable(f"{client.base_url.host} does not respond: {error}", "set --url or WATTLINE_URL") from error
