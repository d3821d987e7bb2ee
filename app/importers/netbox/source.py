"""Read NetBox from its REST API, page by page, or from files of its responses."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from app.errors import Forbidden, Invalid, NotFound, Unauthorized, Unavailable, WattlineError
from app.importers.netbox.records import KINDS, Inventory

PAGE = 500
MOST_PAGES = 2_000
PATIENCE_S = 60.0
_EXTRA = {"devices": {"exclude": "config_context"}}


def read_sources(sources: Sequence[str], token: str | None = None) -> Inventory:
    """Read one server, or any number of files.

    Raises
    ------
    Invalid, NotFound, Unauthorized, Forbidden, Unavailable
    """
    inventory = Inventory()
    if any("://" in source for source in sources):
        if len(sources) > 1:
            raise Invalid(
                "an address cannot be combined with other sources",
                "give either one address or files",
                code="bad_source",
            )
        _read_server(inventory, sources[0].rstrip("/"), token)
    for source in sources:
        if "://" not in source:
            inventory.take(_rows(_load(Path(source)), source), source)
    return inventory


def authorization(token: str) -> str:
    """Return the header for a token: `nbt_KEY.TOKEN` since NetBox 4.5, before that 40 digits."""
    return f"Bearer {token}" if token.startswith("nbt_") else f"Token {token}"


def _read_server(inventory: Inventory, base: str, token: str | None) -> None:
    headers = {"Accept": "application/json"} | ({"Authorization": authorization(token)} if token else {})
    base = base.removesuffix("/api")
    with httpx.Client(headers=headers, timeout=PATIENCE_S, trust_env=False) as client:
        for kind in KINDS:
            _read_pages(inventory, client, f"{base}/api/dcim/{kind}/", kind)


def _read_pages(inventory: Inventory, client: httpx.Client, url: str, kind: str) -> None:
    """Yield every page of a list.

    Only the query of the link to the next page is used: its host may differ, and the token is sent nowhere else.
    """
    query: dict[str, str] = {"limit": str(PAGE), **_EXTRA.get(kind, {})}
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        body = _get(client, url, query)
        inventory.take(_rows(body, url), url, kind)
        following = body.get("next") if isinstance(body, Mapping) else None
        if not following:
            return
        query = dict(parse_qsl(urlsplit(str(following)).query))
        if str(sorted(query.items())) in seen:
            raise Invalid(f"{url}: its pages form a loop", "check whether a proxy drops the query")
        seen.add(str(sorted(query.items())))
    raise Invalid(f"{url}: more than {MOST_PAGES} pages", "save the responses as files")


def _get(client: httpx.Client, url: str, query: Mapping[str, str]) -> Any:  # noqa: ANN401 (JSON)
    try:
        answer = client.get(url, params=query)
    except httpx.HTTPError as error:
        raise Unavailable(f"{url}: {error}", "check that this is the address of NetBox", code="no_netbox") from None
    if answer.status_code != 200:
        raise _refused(answer, url)
    try:
        return answer.json()
    except (ValueError, RecursionError):
        raise Invalid(f"{url}: not JSON", "check that this is the address of NetBox", code="not_netbox") from None


def _refused(answer: httpx.Response, url: str) -> WattlineError:
    problem = f"{url}: NetBox answered {answer.status_code}"
    if answer.status_code == 401:
        return Unauthorized(problem, "give --token env:NAME or file:PATH with a token that can read dcim")
    if answer.status_code == 403:
        return Forbidden(problem, "give --token env:NAME or file:PATH with a token that can read dcim")
    if answer.status_code == 404:
        return NotFound(problem, "give the address above /api")
    if answer.is_redirect:
        hint = f"use its new address: {answer.headers.get('location', '')}"
        return Invalid(problem, hint, code="moved")
    return Unavailable(problem, "try again later", code="no_netbox")


def _load(path: Path) -> Any:  # noqa: ANN401 (JSON)
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise NotFound(
            f"{path}: {error.strerror}", "give a file with responses of NetBox", code="no_such_file"
        ) from None
    except (ValueError, RecursionError):
        raise Invalid(f"{path}: not JSON", "save the response of /api/dcim/…/ unchanged", code="not_netbox") from None


def _rows(body: Any, where: str) -> list[Mapping[str, Any]]:  # noqa: ANN401 (JSON)
    rows = body.get("results") if isinstance(body, Mapping) else body
    if not isinstance(rows, list):
        hint = "a list response of NetBox has `results`"
        raise Invalid(f"{where}: not a list", hint, code="not_netbox")
    return rows
